// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.logsumexp gives g exp(x - y), and 0 where y is minus infinity.

// CHECK-LABEL: func.func @logsumexp(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2xf32>
// CHECK:       %[[LOGSUMEXP:.+]] = burn.logsumexp %[[X]] {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0xFF800000> : tensor<2xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[LOGSUMEXP]], %[[C]] : tensor<2xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[C_1]], %[[LOGSUMEXP]] : tensor<2xi1>, tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[SELECT]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[X]], %[[BROADCAST]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[SUB]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[G]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[BROADCAST_1]], %[[EXP]] : tensor<2x3xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<2x3xf32>
func.func @logsumexp(%x: tensor<2x3xf32>, %g: tensor<2xf32>) -> tensor<2x3xf32> {
  %y = burn.logsumexp %x {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2xf32>, tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

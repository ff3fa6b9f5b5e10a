// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.log_softmax gives g - exp(y) sum(g).

// CHECK-LABEL: func.func @log_softmax(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[Y:.+]] = burn.log_softmax %[[X]] {axis = 1 : i64} : tensor<2x3xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[G]] {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[REDUCE]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[Y]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[EXP]], %[[BROADCAST]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[G]], %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:  return %[[SUB]] : tensor<2x3xf32>
func.func @log_softmax(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %y = burn.log_softmax %x {axis = 1} : tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

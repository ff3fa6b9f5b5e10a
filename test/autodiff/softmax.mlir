// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.softmax gives y (g - sum(g y)).

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[Y:.+]] = burn.softmax %[[X]] {axis = 1 : i64} : tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[Y]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[MUL]] {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[REDUCE]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[G]], %[[BROADCAST]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[Y]], %[[SUB]] : tensor<2x3xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<2x3xf32>
func.func @softmax(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %y = burn.softmax %x {axis = 1} : tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.reverse reverses.

// CHECK-LABEL: func.func @reverse(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.reverse %[[X]] {dims = array<i64: 0>} : tensor<4xf32>
// CHECK-NEXT:  %[[REVERSE:.+]] = burn.reverse %[[G]] {dims = array<i64: 0>} : tensor<4xf32>
// CHECK-NEXT:  return %[[REVERSE]] : tensor<4xf32>
func.func @reverse(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.reverse %x {dims = array<i64: 0>} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

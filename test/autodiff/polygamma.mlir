// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.polygamma gives g times the next order.

// CHECK-LABEL: func.func @polygamma(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.polygamma %[[X]] {n = 2 : i64} : tensor<4xf32>
// CHECK-NEXT:  %[[POLYGAMMA:.+]] = burn.polygamma %[[X]] {n = 3 : i64} : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[POLYGAMMA]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @polygamma(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.polygamma %x {n = 2} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

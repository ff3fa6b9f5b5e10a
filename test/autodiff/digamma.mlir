// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.digamma gives g times the derivative of digamma.

// CHECK-LABEL: func.func @digamma(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.digamma %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[POLYGAMMA:.+]] = burn.polygamma %[[X]] {n = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[POLYGAMMA]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @digamma(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.digamma %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

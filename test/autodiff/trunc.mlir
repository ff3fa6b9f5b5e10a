// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.trunc is 0.

// CHECK-LABEL: func.func @trunc(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.trunc %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  return %[[ZERO]] : tensor<4xf32>
func.func @trunc(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.trunc %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

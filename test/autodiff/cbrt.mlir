// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.cbrt gives g / (3 y^2).

// CHECK-LABEL: func.func @cbrt(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.cbrt %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[SQUARE:.+]] = burn.mul %[[Y]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT:  %[[THREE:.+]] = burn.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[SQUARE]], %[[THREE]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  return %[[DIV]] : tensor<4xf32>
func.func @cbrt(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.cbrt %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.asinh gives g / sqrt(x^2 + 1) without leaving the range.

// CHECK-LABEL: func.func @asinh(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.asinh %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[HYPOT:.+]] = burn.hypot %[[X]], %[[ONE]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[G]], %[[HYPOT]] : tensor<4xf32>
// CHECK-NEXT:  return %[[DIV]] : tensor<4xf32>
func.func @asinh(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.asinh %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

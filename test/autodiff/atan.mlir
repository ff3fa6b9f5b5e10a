// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.atan gives g / (1 + x^2).

// CHECK-LABEL: func.func @atan(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.atan %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[MUL]], %[[ONE]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[G]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT:  return %[[DIV]] : tensor<4xf32>
func.func @atan(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.atan %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

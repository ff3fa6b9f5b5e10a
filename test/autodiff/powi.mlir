// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.powi gives g n x^(n - 1).

// CHECK-LABEL: func.func @powi(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.powi %[[X]] {exponent = -3 : i64} : tensor<4xf32>
// CHECK-NEXT:  %[[POWI:.+]] = burn.powi %[[X]] {exponent = -4 : i64} : tensor<4xf32>
// CHECK-NEXT:  %[[N:.+]] = burn.constant dense<-3.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[POWI]], %[[N]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<4xf32>
func.func @powi(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.powi %x {exponent = -3} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

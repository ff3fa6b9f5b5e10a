// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.log10 gives g / (x ln 10).

// CHECK-LABEL: func.func @log10(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.log10 %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[LOG10E:.+]] = burn.constant dense<0.434294492> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[LOG10E]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[MUL]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  return %[[DIV]] : tensor<4xf32>
func.func @log10(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.log10 %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.log2 gives g / (x ln 2).

// CHECK-LABEL: func.func @log2(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.log2 %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[LOG2E:.+]] = burn.constant dense<1.44269502> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[LOG2E]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[MUL]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  return %[[DIV]] : tensor<4xf32>
func.func @log2(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.log2 %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

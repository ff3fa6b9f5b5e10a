// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.sqrt gives g / (2 y).

// CHECK-LABEL: func.func @sqrt(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.sqrt %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[MUL]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT:  return %[[DIV]] : tensor<4xf32>
func.func @sqrt(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.sqrt %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

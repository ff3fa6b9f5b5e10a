// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.tan gives g (1 + y^2).

// CHECK-LABEL: func.func @tan(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.tan %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[Y]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[MUL]], %[[ONE]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<4xf32>
func.func @tan(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.tan %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.exp2 gives g y ln 2.

// CHECK-LABEL: func.func @exp2(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.exp2 %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[LN2:.+]] = burn.constant dense<0.693147182> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[Y]], %[[LN2]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<4xf32>
func.func @exp2(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.exp2 %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.erfinv gives sqrt(pi)/2 g exp(y^2).

// CHECK-LABEL: func.func @erfinv(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.erfinv %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[Y]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  %[[FACTOR:.+]] = burn.constant dense<0.886226952> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[EXP]], %[[FACTOR]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[G]], %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_2]] : tensor<4xf32>
func.func @erfinv(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.erfinv %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

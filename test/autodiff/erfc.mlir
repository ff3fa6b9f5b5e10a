// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.erfc gives -2/sqrt(pi) g exp(-x^2).

// CHECK-LABEL: func.func @erfc(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.erfc %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[NEG]] : tensor<4xf32>
// CHECK-NEXT:  %[[FACTOR:.+]] = burn.constant dense<-1.12837923> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[EXP]], %[[FACTOR]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[G]], %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_2]] : tensor<4xf32>
func.func @erfc(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.erfc %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.selu is that of burn.elu times the scale.

// CHECK-LABEL: func.func @selu(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[SELU:.+]] = burn.selu %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare gt %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MIN:.+]] = burn.min %[[X]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[MIN]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<1.67326319> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[EXP]], %[[C_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[C_1]], %[[MUL]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[C_4:.+]] = burn.constant dense<1.05070102> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[SELECT]], %[[C_4]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[G]], %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_2]] : tensor<4xf32>
func.func @selu(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.selu %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.elu gives g, and g alpha exp(x) below 0, where no exponential overflows.

// CHECK-LABEL: func.func @elu(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[ELU:.+]] = burn.elu %[[X]] {alpha = 1.500000e+00 : f64} : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare gt %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MIN:.+]] = burn.min %[[X]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[MIN]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<1.500000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[EXP]], %[[C_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[C_1]], %[[MUL]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[SELECT]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<4xf32>
func.func @elu(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.elu %x {alpha = 1.5 : f64} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

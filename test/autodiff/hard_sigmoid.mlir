// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.hard_sigmoid gives g alpha strictly between the corners.

// CHECK-LABEL: func.func @hard_sigmoid(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[HARD_SIGMOID:.+]] = burn.hard_sigmoid %[[X]] {alpha = 2.000000e-01 : f64, beta = 5.000000e-01 : f64} : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<2.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[MUL]], %[[C_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare gt %[[ADD]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare lt %[[ADD]], %[[C_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[AND:.+]] = burn.and %[[COMPARE]], %[[COMPARE_1]] : tensor<4xi1>
// CHECK-NEXT:  %[[C_4:.+]] = burn.constant dense<2.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[C_5:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[AND]], %[[C_4]], %[[C_5]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[SELECT]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<4xf32>
func.func @hard_sigmoid(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.hard_sigmoid %x {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

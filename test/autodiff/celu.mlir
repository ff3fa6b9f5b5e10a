// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.celu gives g, and g exp(x / alpha) below 0.

// CHECK-LABEL: func.func @celu(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[CELU:.+]] = burn.celu %[[X]] {alpha = 2.000000e+00 : f64} : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare gt %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MIN:.+]] = burn.min %[[X]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[MIN]], %[[C_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[DIV]] : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[C_1]], %[[EXP]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SELECT]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @celu(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.celu %x {alpha = 2.0 : f64} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.leaky_relu gives g, and g slope from 0 down.

// CHECK-LABEL: func.func @leaky_relu(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[LEAKY_RELU:.+]] = burn.leaky_relu %[[X]] {slope = 1.000000e-02 : f64} : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare gt %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MIN:.+]] = burn.min %[[X]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<0.00999999977> : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[C_1]], %[[C_3]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SELECT]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @leaky_relu(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.leaky_relu %x {slope = 0.01 : f64} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

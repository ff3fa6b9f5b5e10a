// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.softplus gives g logistic(x), and g above the threshold.

// CHECK-LABEL: func.func @softplus(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[SOFTPLUS:.+]] = burn.softplus %[[X]] {beta = 1.000000e+00 : f64, threshold = 2.000000e+01 : f64} : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<2.000000e+01> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare gt %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[LOGISTIC:.+]] = burn.logistic %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[C_1]], %[[LOGISTIC]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SELECT]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @softplus(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.softplus %x {beta = 1.0 : f64, threshold = 20.0 : f64} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

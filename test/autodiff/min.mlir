// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.min gives the cotangent to the left operand where both are equal.

// CHECK-LABEL: func.func @min(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.min %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare le %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[G]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[COMPARE]], %[[ZERO]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[SELECT]], %[[SELECT_1]] : tensor<4xf32>, tensor<4xf32>
func.func @min(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.min %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

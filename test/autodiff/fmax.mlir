// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.fmax gives the cotangent to the left operand where both are equal or the right one is NaN.

// CHECK-LABEL: func.func @fmax(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.fmax %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare ge %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[NAN:.+]] = burn.is_nan %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[LEFT:.+]] = burn.or %[[COMPARE]], %[[NAN]] : tensor<4xi1>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[LEFT]], %[[G]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[LEFT]], %[[ZERO]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[SELECT]], %[[SELECT_1]] : tensor<4xf32>, tensor<4xf32>
func.func @fmax(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.fmax %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

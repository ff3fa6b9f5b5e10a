// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.select gives each operand the cotangent where it was chosen.

// CHECK-LABEL: func.func @select(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: tensor<4xi1>, %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.select %[[P]], %[[A]], %[[B]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[P]], %[[G]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[P]], %[[ZERO]], %[[G]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[SELECT]], %[[SELECT_1]] : tensor<4xf32>, tensor<4xf32>
func.func @select(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

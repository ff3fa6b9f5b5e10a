// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.add passes the cotangent on to both operands.

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.add %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  return %[[G]], %[[G]] : tensor<4xf32>, tensor<4xf32>
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.add %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.rem gives g, and -g times the rounded quotient.

// CHECK-LABEL: func.func @rem(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.rem floor %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[A]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[SUB]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[ROUND:.+]] = burn.round_even %[[DIV]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[ROUND]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  return %[[G]], %[[NEG]] : tensor<4xf32>, tensor<4xf32>
func.func @rem(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.rem floor %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

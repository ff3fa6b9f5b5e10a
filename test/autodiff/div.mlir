// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.div gives g / b and -(g / b) y.

// CHECK-LABEL: func.func @div(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.div %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[G]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[DIV]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  return %[[DIV]], %[[NEG]] : tensor<4xf32>, tensor<4xf32>
func.func @div(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.div %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

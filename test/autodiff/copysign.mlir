// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.copysign gives g sign(a) sign(y), and nothing to the operand with the sign.

// CHECK-LABEL: func.func @copysign(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.copysign %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[SIGN:.+]] = burn.sign %[[A]] : tensor<4xf32>
// CHECK-NEXT:  %[[SIGN_1:.+]] = burn.sign %[[Y]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[SIGN]], %[[SIGN_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]], %[[ZERO]] : tensor<4xf32>, tensor<4xf32>
func.func @copysign(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.copysign %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

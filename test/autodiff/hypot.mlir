// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.hypot gives g a / y and g b / y, and 0 where y is; an operand as long as y counts with its sign.

// CHECK-LABEL: func.func @hypot(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[LENGTH:.+]] = burn.hypot %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ORIGIN:.+]] = burn.compare eq %[[LENGTH]], %[[ZERO]] : tensor<4xf32>
// CHECK-NEXT:  %[[LONG_A:.+]] = burn.abs %[[A]] : tensor<4xf32>
// CHECK-NEXT:  %[[IS_A:.+]] = burn.compare eq %[[LONG_A]], %[[LENGTH]] : tensor<4xf32>
// CHECK-DAG:   %[[SIGN_A:.+]] = burn.sign %[[A]] : tensor<4xf32>
// CHECK-DAG:   %[[DIV_A:.+]] = burn.div %[[A]], %[[LENGTH]] : tensor<4xf32>
// CHECK:       %[[SHARE_A:.+]] = burn.select %[[IS_A]], %[[SIGN_A]], %[[DIV_A]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL_A:.+]] = burn.mul %[[G]], %[[SHARE_A]] : tensor<4xf32>
// CHECK-NEXT:  %[[S:.+]] = burn.select %[[ORIGIN]], %[[ZERO]], %[[MUL_A]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[LONG_B:.+]] = burn.abs %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[IS_B:.+]] = burn.compare eq %[[LONG_B]], %[[LENGTH]] : tensor<4xf32>
// CHECK-DAG:   %[[SIGN_B:.+]] = burn.sign %[[B]] : tensor<4xf32>
// CHECK-DAG:   %[[DIV_B:.+]] = burn.div %[[B]], %[[LENGTH]] : tensor<4xf32>
// CHECK:       %[[SHARE_B:.+]] = burn.select %[[IS_B]], %[[SIGN_B]], %[[DIV_B]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL_B:.+]] = burn.mul %[[G]], %[[SHARE_B]] : tensor<4xf32>
// CHECK-NEXT:  %[[T:.+]] = burn.select %[[ORIGIN]], %[[ZERO]], %[[MUL_B]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[S]], %[[T]] : tensor<4xf32>, tensor<4xf32>
func.func @hypot(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.hypot %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

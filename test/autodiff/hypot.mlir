// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.hypot gives g a / y and g b / y, and 0 where y is.

// CHECK-LABEL: func.func @hypot(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[LENGTH:.+]] = burn.hypot %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[A]], %[[LENGTH]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[DIV]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[IS_S:.+]] = burn.compare eq %[[LENGTH]], %[[ZERO]] : tensor<4xf32>
// CHECK-NEXT:  %[[S:.+]] = burn.select %[[IS_S]], %[[ZERO]], %[[MUL]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[DIV_1:.+]] = burn.div %[[B]], %[[LENGTH]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[DIV_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO_1:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[IS_T:.+]] = burn.compare eq %[[LENGTH]], %[[ZERO_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[T:.+]] = burn.select %[[IS_T]], %[[ZERO_1]], %[[MUL_1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[S]], %[[T]] : tensor<4xf32>, tensor<4xf32>
func.func @hypot(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.hypot %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

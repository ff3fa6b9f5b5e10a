// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.pow gives g b a^(b-1), 0 where b is 0, and g y log a, 0 where a is 0 and b >= 0.

// CHECK-LABEL: func.func @pow(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.pow %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[B]], %[[ONE]] : tensor<4xf32>
// CHECK-NEXT:  %[[POW:.+]] = burn.pow %[[A]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[B]], %[[ZERO]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[B]], %[[POW]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[ZERO]], %[[MUL_1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare eq %[[A]], %[[ZERO]] : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_2:.+]] = burn.compare ge %[[B]], %[[ZERO]] : tensor<4xf32>
// CHECK-NEXT:  %[[AND:.+]] = burn.and %[[COMPARE_1]], %[[COMPARE_2]] : tensor<4xi1>
// CHECK-NEXT:  %[[LOG:.+]] = burn.log %[[A]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[Y]], %[[LOG]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[G]], %[[MUL_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[AND]], %[[ZERO]], %[[MUL_3]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[SELECT]], %[[SELECT_1]] : tensor<4xf32>, tensor<4xf32>
func.func @pow(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.pow %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

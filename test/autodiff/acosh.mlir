// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.acosh gives g / (sqrt(x - 1) sqrt(x + 1)).

// CHECK-LABEL: func.func @acosh(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.acosh %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[X]], %[[ONE]] : tensor<4xf32>
// CHECK-NEXT:  %[[RSQRT:.+]] = burn.rsqrt %[[SUB]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[X]], %[[ONE_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[RSQRT_1:.+]] = burn.rsqrt %[[ADD]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[RSQRT]], %[[RSQRT_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<4xf32>
func.func @acosh(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.acosh %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

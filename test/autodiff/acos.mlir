// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.acos gives -g / sqrt((1 - x) (1 + x)).

// CHECK-LABEL: func.func @acos(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.acos %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[BELOW:.+]] = burn.sub %[[ONE]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ABOVE:.+]] = burn.add %[[X]], %[[ONE_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[BELOW]], %[[ABOVE]] : tensor<4xf32>
// CHECK-NEXT:  %[[RSQRT:.+]] = burn.rsqrt %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[RSQRT]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[NEG]] : tensor<4xf32>
func.func @acos(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.acos %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.lgamma gives g digamma(x).

// CHECK-LABEL: func.func @lgamma(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.lgamma %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIGAMMA:.+]] = burn.digamma %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[DIGAMMA]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @lgamma(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.lgamma %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

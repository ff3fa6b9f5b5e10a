// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.reduce_precision rounds the cotangent likewise.

// CHECK-LABEL: func.func @reduce_precision(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.reduce_precision %[[X]] {type = bf16} : tensor<4xf32>
// CHECK-NEXT:  %[[ROUNDED:.+]] = burn.reduce_precision %[[G]] {type = bf16} : tensor<4xf32>
// CHECK-NEXT:  return %[[ROUNDED]] : tensor<4xf32>
func.func @reduce_precision(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.reduce_precision %x {type = bf16} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

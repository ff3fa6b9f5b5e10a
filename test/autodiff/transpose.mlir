// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.transpose applies the inverse permutation.

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[G:[a-z0-9]+]]: tensor<4x2x3xf32>
// CHECK:       %[[Y:.+]] = burn.transpose %[[X]] {perm = array<i64: 2, 0, 1>} : tensor<2x3x4xf32> to tensor<4x2x3xf32>
// CHECK-NEXT:  %[[TRANSPOSE:.+]] = burn.transpose %[[G]] {perm = array<i64: 1, 2, 0>} : tensor<4x2x3xf32> to tensor<2x3x4xf32>
// CHECK-NEXT:  return %[[TRANSPOSE]] : tensor<2x3x4xf32>
func.func @transpose(%x: tensor<2x3x4xf32>, %g: tensor<4x2x3xf32>)
    -> tensor<2x3x4xf32> {
  %y = burn.transpose %x {perm = array<i64: 2, 0, 1>} : tensor<2x3x4xf32> to tensor<4x2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4x2x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

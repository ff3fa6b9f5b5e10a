// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.rope is the rotation backwards.

// CHECK-LABEL: func.func @rope(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x4x8xf32>, %[[C:[a-z0-9]+]]: tensor<4x4xf32>, %[[S:[a-z0-9]+]]: tensor<4x4xf32>, %[[G:[a-z0-9]+]]: tensor<2x4x8xf32>
// CHECK:       %[[ROPE:.+]] = burn.rope %[[X]], %[[C]], %[[S]] {interleaved = true} : tensor<2x4x8xf32>, tensor<4x4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[S]] : tensor<4x4xf32>
// CHECK-NEXT:  %[[ROPE_1:.+]] = burn.rope %[[G]], %[[C]], %[[NEG]] {interleaved = true} : tensor<2x4x8xf32>, tensor<4x4xf32>
// CHECK-NEXT:  return %[[ROPE_1]] : tensor<2x4x8xf32>
func.func @rope(%x: tensor<2x4x8xf32>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>, %g: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %y = burn.rope %x, %c, %s {interleaved = true} : tensor<2x4x8xf32>, tensor<4x4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.dequantize sums g q over the block of each scale.

// CHECK-LABEL: func.func @dequantize(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<2x6xi8>, %[[S:[a-z0-9]+]]: tensor<2x2xf32>, %[[G:[a-z0-9]+]]: tensor<2x6xf32>
// CHECK:       %[[DEQUANTIZE:.+]] = burn.dequantize i8 %[[Q]], %[[S]] {block = array<i64: 1, 3>} : (tensor<2x6xi8>, tensor<2x2xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:  %[[CONVERT:.+]] = burn.convert %[[Q]] : tensor<2x6xi8> to tensor<2x6xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[CONVERT]] : tensor<2x6xf32>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[MUL]] : tensor<2x6xf32> to tensor<2x2x3x1xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[RESHAPE]] {dims = array<i64: 2>} : tensor<2x2x3x1xf32> to tensor<2x2x1xf32>
// CHECK-NEXT:  %[[RESHAPE_1:.+]] = burn.reshape %[[REDUCE]] : tensor<2x2x1xf32> to tensor<2x2xf32>
// CHECK-NEXT:  return %[[RESHAPE_1]] : tensor<2x2xf32>
func.func @dequantize(%q: tensor<2x6xi8>, %s: tensor<2x2xf32>, %g: tensor<2x6xf32>) -> tensor<2x2xf32> {
  %y = burn.dequantize i8 %q, %s {block = array<i64: 1, 3>} : (tensor<2x6xi8>, tensor<2x2xf32>) -> tensor<2x6xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%s) : (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

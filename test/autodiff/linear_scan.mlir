// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.linear_scan is a linear scan from the other end.

// CHECK-LABEL: func.func @linear_scan(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2x3xf32>, %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[LINEAR_SCAN:.+]] = burn.linear_scan %[[A]], %[[X]] {axis = 1 : i64, reverse = false} : tensor<2x3xf32>
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[A]], %[[CONSTANT]] {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, -1>} : tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[LINEAR_SCAN_1:.+]] = burn.linear_scan %[[PAD]], %[[G]] {axis = 1 : i64, reverse = true} : tensor<2x3xf32>
// CHECK-NEXT:  %[[CONSTANT_1:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD_1:.+]] = burn.pad %[[LINEAR_SCAN]], %[[CONSTANT_1]] {high = array<i64: 0, -1>, interior = array<i64: 0, 0>, low = array<i64: 0, 1>} : tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[LINEAR_SCAN_1]], %[[PAD_1]] : tensor<2x3xf32>
// CHECK-NEXT:  return %[[MUL]], %[[LINEAR_SCAN_1]] : tensor<2x3xf32>, tensor<2x3xf32>
func.func @linear_scan(%a: tensor<2x3xf32>, %x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y = burn.linear_scan %a, %x {axis = 1, reverse = false} : tensor<2x3xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xf32>
}

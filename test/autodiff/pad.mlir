// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.pad slices for the operand, and sums over the padding alone for its value.

// CHECK-LABEL: func.func @pad(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3xf32>, %[[V:[a-z0-9]+]]: tensor<f32>, %[[G:[a-z0-9]+]]: tensor<8xf32>
// CHECK:       %[[Y:.+]] = burn.pad %[[X]], %[[V]] {high = array<i64: 2>, interior = array<i64: 1>, low = array<i64: 1>} : tensor<3xf32>, tensor<f32> to tensor<8xf32>
// CHECK-NEXT:  %[[SLICE:.+]] = burn.slice %[[G]] {sizes = array<i64: 3>, starts = array<i64: 1>, strides = array<i64: 2>} : tensor<8xf32> to tensor<3xf32>
// CHECK-NEXT:  %[[FALSE:.+]] = burn.constant dense<false> : tensor<3xi1>
// CHECK-NEXT:  %[[TRUE:.+]] = burn.constant dense<true> : tensor<i1>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[FALSE]], %[[TRUE]] {high = array<i64: 2>, interior = array<i64: 1>, low = array<i64: 1>} : tensor<3xi1>, tensor<i1> to tensor<8xi1>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[PAD]], %[[G]], %[[ZERO]] : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[SELECT]] {dims = array<i64: 0>} : tensor<8xf32> to tensor<f32>
// CHECK-NEXT:  return %[[SLICE]], %[[REDUCE]] : tensor<3xf32>, tensor<f32>
func.func @pad(%x: tensor<3xf32>, %v: tensor<f32>, %g: tensor<8xf32>)
    -> (tensor<3xf32>, tensor<f32>) {
  %y = burn.pad %x, %v {low = array<i64: 1>, high = array<i64: 2>, interior = array<i64: 1>} : tensor<3xf32>, tensor<f32> to tensor<8xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %v)
      : (tensor<8xf32>, tensor<8xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @removed_elements(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<5xf32>, %[[V:[a-z0-9]+]]: tensor<f32>, %[[G:[a-z0-9]+]]: tensor<6xf32>
// CHECK:       %[[Y:.+]] = burn.pad %[[X]], %[[V]] {high = array<i64: 2>, interior = array<i64: 0>, low = array<i64: -1>} : tensor<5xf32>, tensor<f32> to tensor<6xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[G]], %[[ZERO]] {high = array<i64: 0>, interior = array<i64: 0>, low = array<i64: 1>} : tensor<6xf32>, tensor<f32> to tensor<7xf32>
// CHECK-NEXT:  %[[SLICE:.+]] = burn.slice %[[PAD]] {sizes = array<i64: 5>, starts = array<i64: 0>, strides = array<i64: 1>} : tensor<7xf32> to tensor<5xf32>
// CHECK-NEXT:  return %[[SLICE]] : tensor<5xf32>
func.func @removed_elements(%x: tensor<5xf32>, %v: tensor<f32>, %g: tensor<6xf32>)
    -> tensor<5xf32> {
  %y = burn.pad %x, %v {low = array<i64: -1>, high = array<i64: 2>, interior = array<i64: 0>} : tensor<5xf32>, tensor<f32> to tensor<6xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<6xf32>, tensor<6xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

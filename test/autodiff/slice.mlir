// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.slice pads with zeros, between the elements too where the slice has strides.

// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<7xf32>, %[[G:[a-z0-9]+]]: tensor<3xf32>
// CHECK:       %[[Y:.+]] = burn.slice %[[X]] {sizes = array<i64: 3>, starts = array<i64: 1>, strides = array<i64: 2>} : tensor<7xf32> to tensor<3xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[G]], %[[ZERO]] {high = array<i64: 1>, interior = array<i64: 1>, low = array<i64: 1>} : tensor<3xf32>, tensor<f32> to tensor<7xf32>
// CHECK-NEXT:  return %[[PAD]] : tensor<7xf32>
func.func @slice(%x: tensor<7xf32>, %g: tensor<3xf32>)
    -> tensor<7xf32> {
  %y = burn.slice %x {starts = array<i64: 1>, sizes = array<i64: 3>, strides = array<i64: 2>} : tensor<7xf32> to tensor<3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<3xf32>, tensor<3xf32>, tensor<7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

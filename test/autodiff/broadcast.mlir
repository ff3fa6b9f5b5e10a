// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.broadcast sums over the repeated dimensions.

// CHECK-LABEL: func.func @new_dimensions(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3x5xf32>
// CHECK:       %[[Y:.+]] = burn.broadcast %[[X]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<2x3x5xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[G]] {dims = array<i64: 0, 2>} : tensor<2x3x5xf32> to tensor<3xf32>
// CHECK-NEXT:  return %[[REDUCE]] : tensor<3xf32>
func.func @new_dimensions(%x: tensor<3xf32>, %g: tensor<2x3x5xf32>)
    -> tensor<3xf32> {
  %y = burn.broadcast %x {dims = array<i64: 1>} : tensor<3xf32> to tensor<2x3x5xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func.func @unit_dimension(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[Y:.+]] = burn.broadcast %[[X]] {dims = array<i64: 0, 1>} : tensor<1x3xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[G]] {dims = array<i64: 0>} : tensor<2x3xf32> to tensor<3xf32>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[REDUCE]] : tensor<3xf32> to tensor<1x3xf32>
// CHECK-NEXT:  return %[[RESHAPE]] : tensor<1x3xf32>
func.func @unit_dimension(%x: tensor<1x3xf32>, %g: tensor<2x3xf32>)
    -> tensor<1x3xf32> {
  %y = burn.broadcast %x {dims = array<i64: 0, 1>} : tensor<1x3xf32> to tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

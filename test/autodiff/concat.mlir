// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.concat takes slices at offsets over all operands, also those without a gradient.

// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<5xf32>
// CHECK:       %[[Y:.+]] = burn.concat %[[A]], %[[B]] {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
// CHECK-NEXT:  %[[SLICE:.+]] = burn.slice %[[G]] {sizes = array<i64: 3>, starts = array<i64: 2>, strides = array<i64: 1>} : tensor<5xf32> to tensor<3xf32>
// CHECK-NEXT:  return %[[SLICE]] : tensor<3xf32>
func.func @concat(%a: tensor<2xf32>, %b: tensor<3xf32>, %g: tensor<5xf32>)
    -> tensor<3xf32> {
  %y = burn.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%b)
      : (tensor<5xf32>, tensor<5xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

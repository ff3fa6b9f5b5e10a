// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.slice_update gives the operand all but the window, and the update the window.

// CHECK-LABEL: func.func @slice_update(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<5xf32>, %[[U:[a-z0-9]+]]: tensor<2xf32>, %[[G:[a-z0-9]+]]: tensor<5xf32>
// CHECK:       %[[Y:.+]] = burn.slice_update %[[X]], %[[U]] {starts = array<i64: 1>} : tensor<5xf32>, tensor<2xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:  %[[SLICE_UPDATE:.+]] = burn.slice_update %[[G]], %[[ZERO]] {starts = array<i64: 1>} : tensor<5xf32>, tensor<2xf32>
// CHECK-NEXT:  %[[SLICE:.+]] = burn.slice %[[G]] {sizes = array<i64: 2>, starts = array<i64: 1>, strides = array<i64: 1>} : tensor<5xf32> to tensor<2xf32>
// CHECK-NEXT:  return %[[SLICE_UPDATE]], %[[SLICE]] : tensor<5xf32>, tensor<2xf32>
func.func @slice_update(%x: tensor<5xf32>, %u: tensor<2xf32>, %g: tensor<5xf32>)
    -> (tensor<5xf32>, tensor<2xf32>) {
  %y = burn.slice_update %x, %u {starts = array<i64: 1>} : tensor<5xf32>, tensor<2xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %u)
      : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xf32>) -> (tensor<5xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<2xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.reduce_window is a windowed sum for a sum, adds at the indices of the extrema, and
// multiplies the other elements of a window for a product.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x6xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[Y:.+]] = burn.reduce_window sum %[[X]] {base_dilation = array<i64: 1, 1>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, strides = array<i64: 1, 2>, window = array<i64: 1, 2>, window_dilation = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[REDUCE_WINDOW:.+]] = burn.reduce_window sum %[[G]] {base_dilation = array<i64: 1, 2>, pad_high = array<i64: 0, 1>, pad_low = array<i64: 0, 1>, strides = array<i64: 1, 1>, window = array<i64: 1, 2>, window_dilation = array<i64: 1, 1>} : tensor<2x3xf32> to tensor<2x6xf32>
// CHECK-NEXT:  return %[[REDUCE_WINDOW]] : tensor<2x6xf32>
func.func @sum(%x: tensor<2x6xf32>, %g: tensor<2x3xf32>)
    -> tensor<2x6xf32> {
  %y = burn.reduce_window sum %x {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, base_dilation = array<i64: 1, 1>, window_dilation = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @max(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x6xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[Y:.+]] = burn.reduce_window max %[[X]] {base_dilation = array<i64: 1, 1>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, strides = array<i64: 1, 2>, window = array<i64: 1, 2>, window_dilation = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[ARG_REDUCE_WINDOW_VALUE:.+]], %[[ARG_REDUCE_WINDOW_INDEX:.+]] = burn.arg_reduce_window max %[[X]] {index_dims = array<i64: 1>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, strides = array<i64: 1, 2>, window = array<i64: 1, 2>, window_dilation = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x3xf32>, tensor<2x3xi64>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add assume_valid %[[ZERO]], %[[ARG_REDUCE_WINDOW_INDEX]], %[[G]] {index_vector_dim = 2 : i64, input_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64: 0>, update_window_dims = array<i64>} : tensor<2x6xf32>, tensor<2x3xi64>, tensor<2x3xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<2x6xf32>
func.func @max(%x: tensor<2x6xf32>, %g: tensor<2x3xf32>)
    -> tensor<2x6xf32> {
  %y = burn.reduce_window max %x {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, base_dilation = array<i64: 1, 1>, window_dilation = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @prod(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x6xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[Y:.+]] = burn.reduce_window prod %[[X]] {base_dilation = array<i64: 1, 1>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, strides = array<i64: 1, 2>, window = array<i64: 1, 2>, window_dilation = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[X]], %[[ONE]] {high = array<i64: 0, 0>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : tensor<2x6xf32>, tensor<f32> to tensor<2x6xf32>
// CHECK-NEXT:  %[[SLICE:.+]] = burn.slice %[[PAD]] {sizes = array<i64: 2, 3>, starts = array<i64: 0, 0>, strides = array<i64: 1, 2>} : tensor<2x6xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[SLICE_1:.+]] = burn.slice %[[PAD]] {sizes = array<i64: 2, 3>, starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : tensor<2x6xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SLICE]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[MUL]], %[[SLICE_1]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD_1:.+]] = burn.pad %[[MUL]], %[[ZERO]] {high = array<i64: 0, 0>, interior = array<i64: 0, 1>, low = array<i64: 0, 1>} : tensor<2x3xf32>, tensor<f32> to tensor<2x6xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[G]], %[[SLICE_1]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[ZERO_1:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD_2:.+]] = burn.pad %[[MUL_2]], %[[ZERO_1]] {high = array<i64: 0, 1>, interior = array<i64: 0, 1>, low = array<i64: 0, 0>} : tensor<2x3xf32>, tensor<f32> to tensor<2x6xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[PAD_1]], %[[PAD_2]] : tensor<2x6xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[SLICE_1]], %[[SLICE]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[SLICE_2:.+]] = burn.slice %[[ADD]] {sizes = array<i64: 2, 6>, starts = array<i64: 0, 0>, strides = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x6xf32>
// CHECK-NEXT:  return %[[SLICE_2]] : tensor<2x6xf32>
func.func @prod(%x: tensor<2x6xf32>, %g: tensor<2x3xf32>)
    -> tensor<2x6xf32> {
  %y = burn.reduce_window prod %x {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, base_dilation = array<i64: 1, 1>, window_dilation = array<i64: 1, 1>} : tensor<2x6xf32> to tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

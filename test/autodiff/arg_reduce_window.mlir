// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.arg_reduce_window adds the cotangent at the indices, leaving out windows of padding.

// CHECK-LABEL: func.func @arg_reduce_window(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3x2x4xf32>, %[[G:[a-z0-9]+]]: tensor<2x2x3xf32>
// CHECK:       %[[Y:.+]], %[[I:.+]] = burn.arg_reduce_window max %[[X]] {index_dims = array<i64: 0, 2>, pad_high = array<i64: 0, 0, 1>, pad_low = array<i64: 0, 0, 1>, strides = array<i64: 1, 1, 2>, window = array<i64: 2, 1, 2>, window_dilation = array<i64: 1, 1, 1>} : tensor<3x2x4xf32> to tensor<2x2x3xf32>, tensor<2x2x3xi64>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<2x12xf32>
// CHECK-NEXT:  %[[TRANSPOSE:.+]] = burn.transpose %[[I]] {perm = array<i64: 1, 0, 2>} : tensor<2x2x3xi64> to tensor<2x2x3xi64>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[TRANSPOSE]] : tensor<2x2x3xi64> to tensor<2x6xi64>
// CHECK-NEXT:  %[[TRANSPOSE_1:.+]] = burn.transpose %[[G]] {perm = array<i64: 1, 0, 2>} : tensor<2x2x3xf32> to tensor<2x2x3xf32>
// CHECK-NEXT:  %[[RESHAPE_1:.+]] = burn.reshape %[[TRANSPOSE_1]] : tensor<2x2x3xf32> to tensor<2x6xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add fill %[[ZERO]], %[[RESHAPE]], %[[RESHAPE_1]] {index_vector_dim = 2 : i64, input_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64: 0>, update_window_dims = array<i64>} : tensor<2x12xf32>, tensor<2x6xi64>, tensor<2x6xf32>
// CHECK-NEXT:  %[[RESHAPE_2:.+]] = burn.reshape %[[SCATTER]] : tensor<2x12xf32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[TRANSPOSE_2:.+]] = burn.transpose %[[RESHAPE_2]] {perm = array<i64: 1, 0, 2>} : tensor<2x3x4xf32> to tensor<3x2x4xf32>
// CHECK-NEXT:  return %[[TRANSPOSE_2]] : tensor<3x2x4xf32>
func.func @arg_reduce_window(%x: tensor<3x2x4xf32>, %g: tensor<2x2x3xf32>)
    -> tensor<3x2x4xf32> {
  %y, %i = burn.arg_reduce_window max %x {window = array<i64: 2, 1, 2>, strides = array<i64: 1, 1, 2>, pad_low = array<i64: 0, 0, 1>, pad_high = array<i64: 0, 0, 1>, window_dilation = array<i64: 1, 1, 1>, index_dims = array<i64: 0, 2>} : tensor<3x2x4xf32> to tensor<2x2x3xf32>, tensor<2x2x3xi64>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %r : tensor<3x2x4xf32>
}

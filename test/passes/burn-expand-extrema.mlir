// RUN: burn-opt %s --split-input-file --burn-expand-extrema --burn-simplify | FileCheck %s

// Tests that extrema over windows whose channels are last, the places of which gradients need, are comparisons of slices,
// with the arithmetic in front applied to these, and that the gradient is a choice for each element.
// CHECK-LABEL: func.func @gradient
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x16xf32>, %[[S:.*]]: tensor<16xf32>, %[[G:.*]]: tensor<2x2x16xf32>)
// CHECK-DAG: %[[A:.*]] = burn.slice %[[X]] {sizes = array<i64: 2, 2, 16>, starts = array<i64: 0, 0, 0>, strides = array<i64: 1, 2, 1>}
// CHECK-DAG: %[[B:.*]] = burn.slice %[[X]] {sizes = array<i64: 2, 2, 16>, starts = array<i64: 0, 1, 0>, strides = array<i64: 1, 2, 1>}
// CHECK-DAG: %[[MA:.*]] = burn.mul %[[A]], %{{.*}} : tensor<2x2x16xf32>
// CHECK-DAG: %[[MB:.*]] = burn.mul %[[B]], %{{.*}} : tensor<2x2x16xf32>
// CHECK-DAG: %[[P:.*]] = burn.max %[[MA]], %[[MB]]
// CHECK-DAG: %[[GREATER:.*]] = burn.compare gt %[[MB]], %[[MA]]
// CHECK: %[[PLACE:.*]] = burn.select %{{.*}} : tensor<2x2x16xi1>, tensor<2x2x16xi8>
// CHECK-NOT: burn.scatter
// CHECK-NOT: window
// CHECK-DAG: burn.broadcast %[[PLACE]] {dims = array<i64: 0, 1, 3>} : tensor<2x2x16xi8> to tensor<2x2x2x16xi8>
// CHECK-DAG: burn.broadcast %[[G]] {dims = array<i64: 0, 1, 3>} : tensor<2x2x16xf32> to tensor<2x2x2x16xf32>
// CHECK-DAG: burn.pad {{.*}} : tensor<2x4x16xf32>, tensor<f32> to tensor<2x5x16xf32>
// CHECK: burn.select {{.*}} : tensor<2x5x16xi1>, tensor<2x5x16xf32>
// CHECK: return %[[P]]
func.func @gradient(%x: tensor<2x5x16xf32>, %s: tensor<16xf32>, %g: tensor<2x2x16xf32>)
    -> (tensor<2x2x16xf32>, tensor<2x5x16xf32>) {
  %b = burn.broadcast %s {dims = array<i64: 2>} : tensor<16xf32> to tensor<2x5x16xf32>
  %m = burn.mul %x, %b : tensor<2x5x16xf32>
  %p = burn.reduce_window max %m {base_dilation = array<i64: 1, 1, 1>, pad_high = array<i64: 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0>, strides = array<i64: 1, 2, 1>, window = array<i64: 1, 2, 1>,
      window_dilation = array<i64: 1, 1, 1>} : tensor<2x5x16xf32> to tensor<2x2x16xf32>
  %v, %i = burn.arg_reduce_window max %m {index_dims = array<i64: 1>, pad_high = array<i64: 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0>, strides = array<i64: 1, 2, 1>, window = array<i64: 1, 2, 1>,
      window_dilation = array<i64: 1, 1, 1>} : tensor<2x5x16xf32> to tensor<2x2x16xf32>, tensor<2x2x16xi64>
  %z = burn.constant dense<0.0> : tensor<2x5x16xf32>
  %d = burn.scatter add assume_valid %z, %i, %g {index_vector_dim = 3 : i64, input_batching_dims = array<i64: 0, 2>,
      inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>,
      scatter_indices_batching_dims = array<i64: 0, 2>, update_window_dims = array<i64>}
      : tensor<2x5x16xf32>, tensor<2x2x16xi64>, tensor<2x2x16xf32>
  return %p, %d : tensor<2x2x16xf32>, tensor<2x5x16xf32>
}

// -----

// Places that something else needs, and windows along the last dim, stay.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: burn.arg_reduce_window
func.func @others(%x: tensor<2x4x16xf32>) -> (tensor<2x2x16xi64>, tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
  %v, %i = burn.arg_reduce_window max %x {index_dims = array<i64: 1>, pad_high = array<i64: 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0>, strides = array<i64: 1, 2, 1>, window = array<i64: 1, 2, 1>,
      window_dilation = array<i64: 1, 1, 1>} : tensor<2x4x16xf32> to tensor<2x2x16xf32>, tensor<2x2x16xi64>
  %w, %j = burn.arg_reduce_window max %x {index_dims = array<i64: 2>, pad_high = array<i64: 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 2>, window = array<i64: 1, 1, 2>,
      window_dilation = array<i64: 1, 1, 1>} : tensor<2x4x16xf32> to tensor<2x4x8xf32>, tensor<2x4x8xi64>
  return %i, %w, %j : tensor<2x2x16xi64>, tensor<2x4x8xf32>, tensor<2x4x8xi64>
}

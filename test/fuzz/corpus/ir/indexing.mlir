func.func @indexing(%x: tensor<10x8xf32>, %i: tensor<4xi64>, %u: tensor<4x8xf32>) {
  %gather = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
      start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>}
      : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  %scatter = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 1>,
      inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>,
      scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>,
      index_vector_dim = 1 : i64} : tensor<10x8xf32>, tensor<4xi64>, tensor<4x8xf32>
  return
}

// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that gather and scatter which break a constraint are refused; functions are named for its code.

func.func @gather_c1(%x: tensor<10x8xf32>, %i: tensor<4xf32>) {
  // expected-error@+1 {{'burn.gather' op operand #1 must be ranked tensor of integers, but got 'tensor<4xf32>'}}
  %r = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
      index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} : tensor<10x8xf32>, tensor<4xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<10x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.gather' op expects index_vector_dim in [0, 1], got 2}}
  %r = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
      index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 8>} : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<10x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.gather' op expects 1 indexed dimensions (the size of the index vector), got [0, 1]}}
  %r = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>,
      index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  return
}

// -----

func.func @gather_c4(%x: tensor<10x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.gather' op slice size 9 of dimension 1 is outside [0, 8]}}
  %r = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
      index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 9>} : tensor<10x8xf32>, tensor<4xi64> to tensor<4x9xf32>
  return
}

// -----

func.func @gather_c4_collapsed(%x: tensor<10x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.gather' op expects slice size 1 in collapsed and batching dimension 0, got 2}}
  %r = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
      index_vector_dim = 1 : i64, slice_sizes = array<i64: 2, 8>} : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  return
}

// -----

func.func @gather_c5(%x: tensor<10x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.gather' op expects 1 window dimensions ascending within rank 2, got [2]}}
  %r = burn.gather check %x, %i {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
      index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  return
}

// -----

func.func @gather_c6(%x: tensor<10x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.gather' op batching dimensions differ: [10, 8] dimension 1 and [4] dimension 0}}
  %r = burn.gather check %x, %i {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64: 1>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 0>,
      index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : tensor<10x8xf32>, tensor<4xi64> to tensor<4xf32>
  return
}

// -----

func.func @scatter_c1(%x: tensor<10x8xf32>, %i: tensor<4xi1>, %u: tensor<4x8xf32>) {
  // expected-error@+1 {{'burn.scatter' op operand #1 must be ranked tensor of integers, but got 'tensor<4xi1>'}}
  %r = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<10x8xf32>, tensor<4xi1>, tensor<4x8xf32>
  return
}

// -----

func.func @scatter_c5(%x: tensor<10x8xf32>, %i: tensor<4xi64>, %u: tensor<4x8xf32>) {
  // expected-error@+1 {{'burn.scatter' op expects updates of shape [4, 8, 4], got [4, 8]}}
  %r = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 0, 1>, inserted_window_dims = array<i64>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<10x8xf32>, tensor<4xi64>, tensor<4x8xf32>
  return
}

// -----

func.func @scatter_c7(%x: tensor<10x8xf32>, %i: tensor<4xi64>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{'burn.scatter' op expects updates of shape [4, 8], got [5, 8]}}
  %r = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<10x8xf32>, tensor<4xi64>, tensor<5x8xf32>
  return
}

// -----

func.func @scatter_boolean(%x: tensor<10x8xi1>, %i: tensor<4xi64>, %u: tensor<4x8xi1>) {
  // expected-error@+1 {{'burn.scatter' op expects numbers to combine, got i1[10, 8]}}
  %r = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<10x8xi1>, tensor<4xi64>, tensor<4x8xi1>
  return
}

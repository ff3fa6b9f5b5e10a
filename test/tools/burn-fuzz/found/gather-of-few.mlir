// The four indices are loaded under a mask and extended to 64 bits; LLVM 22 cannot select code for that if it does not
// see that the value was loaded.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s
// RUN: burn-compile %s --cpu=x86-64-v4 -o %t.o

func.func @main(%x: tensor<4xf32> {burn.donated, burn.value = dense<[1.0, -1.5, 0.25, 1.25]> : tensor<4xf32>},
                %i: tensor<4xi32> {burn.value = dense<[3, 0, 1, 0]> : tensor<4xi32>}) -> tensor<4xf32> {
  %r = burn.gather assume_valid %x, %i {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64,
      offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>,
      start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>}
      : tensor<4xf32>, tensor<4xi32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

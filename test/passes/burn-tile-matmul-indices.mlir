// RUN: burn-opt %s --burn-tile-matmul="cpu=x86-64-v4 candidates=8" 2>&1 | FileCheck %s

// Tests that a kernel that takes indices is not offered for measuring: scratch data hold none that are right.
// CHECK-NOT: remark
// CHECK: func.func @main
func.func @main(%x: tensor<10x8xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %r = burn.fused row (%x, %i) {domain = array<i64: 4, 8>, reduce_dims = array<i64: 1>}
      : (tensor<10x8xf32>, tensor<4xi64>) -> tensor<4xf32> {
  ^bb0(%a: tensor<10x8xf32>, %b: tensor<4xi64>):
    %g = burn.gather assume_valid %a, %b {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
        operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
        start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>}
        : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
    %s = burn.reduce sum %g {dims = array<i64: 1>} : tensor<4x8xf32> to tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

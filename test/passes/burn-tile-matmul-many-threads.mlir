// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=sapphirerapids" | FileCheck %s --check-prefix=FEW
// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=sapphirerapids many-threads=true" | FileCheck %s --check-prefixes=MANY,WIDE
// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=x86-64-v3 many-threads=true" | FileCheck %s --check-prefix=MANY

// The gradient of a layer's weights: rows are turned as they are packed, so that few threads take large pieces. For many
// threads the rows are packed by a kernel in front, and the product has pieces for all: 256 x 256 in pieces of 66 x 64
// are 16.

// FEW-LABEL: func.func @weights
// FEW: burn.tiling = {{[{].*}}pack = ["rows", "lanes"], task = [132, 256]
// MANY-LABEL: func.func @weights
// MANY: burn.tiling = {{[{].*}}pack = ["rows", "lanes"], ready = ["rows"], task = [66, 64]
func.func @weights(%x: tensor<2048x256xf32>, %g: tensor<2048x256xf32>) -> tensor<256x256xf32> {
  %r = burn.dot_general %x, %g {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : tensor<2048x256xf32>, tensor<2048x256xf32> to tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// Rows that stay in cache over all steps are packed once by each thread, for as many pieces as it takes
// (the cache of processors with AVX2 alone holds too few of them).

// FEW-LABEL: func.func @layer
// FEW: burn.tiling = {block_steps = 1024{{.*}}pack = ["rows", "lanes"], task = [132, 64]
// WIDE-LABEL: func.func @layer
// WIDE: burn.tiling = {block_steps = 1024{{.*}}pack = ["rows", "lanes"], task = [132, 64]
func.func @layer(%x: tensor<1024x512xf32>, %g: tensor<1024x784xf32>) -> tensor<512x784xf32> {
  %r = burn.dot_general %x, %g {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : tensor<1024x512xf32>, tensor<1024x784xf32> to tensor<512x784xf32>
  return %r : tensor<512x784xf32>
}

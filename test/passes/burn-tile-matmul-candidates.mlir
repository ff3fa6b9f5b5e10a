// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=x86-64-v4 candidates=8" 2>&1 | FileCheck %s
// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=x86-64-v3 candidates=3" 2>&1 | FileCheck %s --check-prefix=NARROW

// Tests that the chosen tiling comes first and that there are as many as were asked for, that the key has sizes in
// buckets, which rows of 500 share with those of 512, and what follows the product.
// CHECK: remark: contraction f32 f32 f32 f32 batch[1:000] rows[512:f0f] lanes[512:011] steps[512:1f0] epilogue[1:0:1]
// CHECK-COUNT-8: note: {block_steps
// CHECK-NOT: note: {block_steps
// NARROW: remark: contraction f32 f32 f32 f32
// NARROW: note: {block_steps = 512 : i64, exchange = false, pack = ["lanes"], task = [{{.*}}], tile = [6, 16], vector_lanes = 8 : i64}
// NARROW-COUNT-2: note: {block_steps
// NARROW-NOT: note: {block_steps
func.func @main(%a: tensor<500x512xf32>, %b: tensor<512x512xf32>, %bias: tensor<512xf32>) -> tensor<500x512xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<500x512xf32>, tensor<512x512xf32> to tensor<500x512xf32>
  %w = burn.broadcast %bias {dims = array<i64: 1>} : tensor<512xf32> to tensor<500x512xf32>
  %s = burn.add %c, %w : tensor<500x512xf32>
  return %s : tensor<500x512xf32>
}

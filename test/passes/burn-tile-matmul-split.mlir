// RUN: burn-opt %s --split-input-file --burn-fuse --burn-tile-matmul="cpu=x86-64-v4 candidates=8 deterministic=false" 2>&1 | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-fuse --burn-tile-matmul="cpu=x86-64-v4 candidates=8" 2>&1 | FileCheck %s --check-prefix=ORDERED

// Tests that long sums of few results may be cut into slices where results need not be deterministic, as two of the
// eight ways, and nowhere else.
// CHECK: remark: contraction f32 f32 f32 f32 batch[1:000] rows[32:p0n] lanes[48:011] steps[8192:1n0]
// CHECK-COUNT-6: note: {block_steps
// CHECK-COUNT-2: note: {slices = {{[0-9]+}} : i64}
// CHECK-NOT: note:
// ORDERED: remark: contraction f32 f32 f32 f32 batch[1:000] rows[32:p0n]
// ORDERED-NOT: slices
func.func @long(%a: tensor<32x8192xf32>, %b: tensor<8192x48xf32>, %bias: tensor<48xf32>) -> tensor<32x48xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<32x8192xf32>, tensor<8192x48xf32> to tensor<32x48xf32>
  %w = burn.broadcast %bias {dims = array<i64: 1>} : tensor<48xf32> to tensor<32x48xf32>
  %s = burn.add %c, %w : tensor<32x48xf32>
  return %s : tensor<32x48xf32>
}

// -----

// Tests that a product with many results, or whose result is moved in its kernel, has none.
// CHECK: remark: contraction f32 f32 f32 f32 batch[1:000] rows[1024:
// CHECK-NOT: slices
func.func @many(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<1024x1024xf32>, tensor<1024x1024xf32> to tensor<1024x1024xf32>
  return %c : tensor<1024x1024xf32>
}

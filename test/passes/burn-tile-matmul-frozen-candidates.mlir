// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=x86-64-v4 candidates=4" 2>&1 | FileCheck %s

// Tests that a product whose right operand never changes has other tilings, all of which read it from panels.
// CHECK: remark: contraction f32 f32 f32 f32 {{.*}} rhs fixed
// CHECK-COUNT-4: note: {{[{]block_steps = .*ready = \[.*lanes.*\]}}
// CHECK-NOT: note: {
func.func @main(%x: tensor<256x512xf32>, %w: tensor<512x512xf32> {burn.frozen}) -> tensor<256x512xf32> {
  %c = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<256x512xf32>, tensor<512x512xf32> to tensor<256x512xf32>
  return %c : tensor<256x512xf32>
}

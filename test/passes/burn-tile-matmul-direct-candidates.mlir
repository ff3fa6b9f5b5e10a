// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=x86-64-v4 candidates=8" 2>&1 | FileCheck %s
// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=x86-64-v3 candidates=4" 2>&1 | FileCheck %s --check-prefix=NARROW

// Tests that a direct convolution has other tilings than the usual one, which is the empty choice.
// CHECK: remark: contraction f32 f32 f32 f32 {{.*}} window[{{.*}}] of rows {{.*}} direct
// CHECK: note: {}
// CHECK: note: {vectors = 2 : i64}
// CHECK: note: {tasks = 1 : i64}
// NARROW: remark: {{.*}} direct
// NARROW: note: {}
// NARROW-COUNT-3: note: {{[{](vectors|tasks|image|kernel) =}}
// NARROW-NOT: note: {
func.func @main(%x: tensor<16x28x28x64xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<16x28x28x128xf32> {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
      pad_high = array<i64: 1, 1>, lhs_dims = array<i64: 0, 3, 1, 2>, rhs_dims = array<i64: 3, 2, 0, 1>,
      out_dims = array<i64: 0, 3, 1, 2>} : tensor<16x28x28x64xf32>, tensor<3x3x64x128xf32> to tensor<16x28x28x128xf32>
  return %y : tensor<16x28x28x128xf32>
}

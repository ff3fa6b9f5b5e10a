// RUN: burn-opt %s --pass-pipeline='builtin.module(func.func(burn-fuse,burn-tile-matmul),burn-pack-frozen,func.func(burn-plan-memory),burn-lower-kernels)' | FileCheck %s

// Tests that panels that pass once under few rows are asked for in advance, the two cache lines of eight lanes of f64 2 KB
// ahead, and those that a cache holds are not.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: %[[P:.*]] = memref.view %{{.*}} : memref<{{[0-9]*}}xi8> to memref<2097152xf64>
// CHECK: scf.for
// CHECK: memref.prefetch %[[P]][{{.*}}], read, locality<3>, data
// CHECK: vector.load %[[P]]
// CHECK-LABEL: func.func private @kernel_1(
// CHECK-NOT: memref.prefetch
// CHECK-LABEL: func.func private @prepare_kernel_0(
func.func @main(%x: tensor<4x4096xf64>, %w: tensor<4096x512xf64> {burn.frozen}, %y: tensor<64x64xf64>,
                %v: tensor<64x64xf64> {burn.frozen}) -> (tensor<4x512xf64>, tensor<64x64xf64>) {
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x4096xf64>, tensor<4096x512xf64> to tensor<4x512xf64>
  %s = burn.dot_general %y, %v {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x64xf64>, tensor<64x64xf64> to tensor<64x64xf64>
  return %r, %s : tensor<4x512xf64>, tensor<64x64xf64>
}

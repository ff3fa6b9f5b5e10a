// RUN: burn-opt %s --burn-decompose --burn-simplify --burn-fuse="convert-on-read" --split-input-file | FileCheck %s
// RUN: burn-opt %s --burn-decompose --burn-simplify --burn-fuse="convert-on-read" --burn-tile-matmul="cpu=x86-64-v3" --burn-plan-memory --burn-lower-kernels="cpu=x86-64-v3" --split-input-file | FileCheck %s --check-prefix=KERNEL

// Tests that a product dequantizes its operand, of one scale and one zero point, as it packs it: no kernel of its own
// and no buffer of floats. The numbers are loaded once, in front of the loops.
// CHECK-LABEL: func.func @per_tensor
// CHECK: burn.fused contraction (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (tensor<64x256xf32>, tensor<256x128xi8>, tensor<1x1xi32>, tensor<1x1xf32>) -> tensor<64x128xf32>
// CHECK: burn.sub
// CHECK: burn.mul
// CHECK: burn.dot_general
// CHECK-NOT: burn.fused
// KERNEL-LABEL: func.func private @kernel_0(
// KERNEL: memref.load %{{.*}} : memref<1xi32>
// KERNEL: memref.load %{{.*}} : memref<1xf32>
// KERNEL: scf.for
// KERNEL-NOT: memref<1xf32>
// KERNEL: arith.extsi %{{.*}} : vector<8xi8> to vector<8xi64>
// KERNEL: arith.subi %{{.*}} : vector<8xi64>
// KERNEL: arith.sitofp %{{.*}} : vector<8xi64> to vector<8xf32>
// KERNEL: arith.mulf %{{.*}} : vector<8xf32>
// KERNEL: math.fma
func.func @per_tensor(%x: tensor<64x256xf32>, %q: tensor<256x128xi8>, %s: tensor<1x1xf32>, %z: tensor<1x1xi32>)
    -> tensor<64x128xf32> {
  %w = burn.dequantize i8 %q, %s, %z {block = array<i64: 256, 128>}
      : (tensor<256x128xi8>, tensor<1x1xf32>, tensor<1x1xi32>) -> tensor<256x128xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x256xf32>, tensor<256x128xf32> to tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

// Tests that a scale for each column is applied by a kernel of its own, as is what another op reads too.
// CHECK-LABEL: func.func @per_column
// CHECK: burn.fused elementwise
// CHECK: burn.mul
// CHECK: burn.fused contraction
// KERNEL-LABEL: func.func private @kernel_0(
func.func @per_column(%x: tensor<64x256xf32>, %q: tensor<256x128xi8>, %s: tensor<1x128xf32>) -> tensor<64x128xf32> {
  %w = burn.dequantize i8 %q, %s {block = array<i64: 256, 1>}
      : (tensor<256x128xi8>, tensor<1x128xf32>) -> tensor<256x128xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x256xf32>, tensor<256x128xf32> to tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

// Tests that the product waits for the kernel that computes its scale.
// CHECK-LABEL: func.func @computed_scale
// CHECK: %[[S:.*]] = burn.fused row
// CHECK: burn.fused contraction (%{{.*}}, %{{.*}}, %[[S]])
// KERNEL-LABEL: func.func private @kernel_0(
func.func @computed_scale(%x: tensor<8x16xf32>, %q: tensor<16x8xi8>, %v: tensor<32xf32>) -> tensor<8x8xf32> {
  %m = burn.reduce max %v {dims = array<i64: 0>} : tensor<32xf32> to tensor<f32>
  %f = burn.convert %q : tensor<16x8xi8> to tensor<16x8xf32>
  %b = burn.broadcast %m {dims = array<i64>} : tensor<f32> to tensor<16x8xf32>
  %w = burn.mul %f, %b : tensor<16x8xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<8x16xf32>, tensor<16x8xf32> to tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

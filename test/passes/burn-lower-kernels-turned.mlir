// RUN: burn-opt %s --burn-graph-pipeline --burn-lower-kernels=cpu=x86-64-v4 | FileCheck %s

// Tests that a sum in another order than that of memory has an accumulator in memory for each of its 64 lanes, shared by
// tasks, with vectors along the channels; that they are combined by a fixed tree, and that the second sweep begins with
// what the first has left.
// CHECK-LABEL: func.func private @kernel_0_sweep1(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<256xf32>
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<{{.*}}xf32>, vector<64xf32>
// CHECK: arith.addf {{.*}} : vector<64xf32>
// CHECK-LABEL: func.func private @kernel_0_combine1(
// CHECK-COUNT-63: arith.addf {{.*}} : vector<64xf32>
// CHECK-LABEL: func.func private @kernel_0_sweep2(
// CHECK: arith.divf {{.*}} : vector<64xf32>
// CHECK: arith.subf {{.*}} : vector<64xf32>
// CHECK-LABEL: func.func private @kernel_0_combine2(
// CHECK-COUNT-63: arith.addf {{.*}} : vector<64xf32>

// CHECK-LABEL: func.func private @kernel_0_store(
// CHECK: arith.mulf
// What may stand in the place of an argument is stored when no sweep reads that any more.
// CHECK-LABEL: func.func private @kernel_0_keep(
// CHECK: arith.addf
// CHECK: vector.store
func.func @norm(%x: tensor<32x26x26x64xf32>, %n: tensor<64xf32> {burn.donated})
    -> (tensor<32x26x26x64xf32>, tensor<64xf32>) {
  %t = burn.transpose %x {perm = array<i64: 0, 3, 1, 2>} : tensor<32x26x26x64xf32> to tensor<32x64x26x26xf32>
  %m = burn.reduce sum %t {dims = array<i64: 0, 2, 3>} : tensor<32x64x26x26xf32> to tensor<64xf32>
  %d = burn.div %m, %n : tensor<64xf32>
  %b = burn.broadcast %d {dims = array<i64: 3>} : tensor<64xf32> to tensor<32x26x26x64xf32>
  %c = burn.sub %x, %b : tensor<32x26x26x64xf32>
  %q = burn.mul %c, %c : tensor<32x26x26x64xf32>
  %u = burn.transpose %q {perm = array<i64: 0, 3, 1, 2>} : tensor<32x26x26x64xf32> to tensor<32x64x26x26xf32>
  %v = burn.reduce sum %u {dims = array<i64: 0, 2, 3>} : tensor<32x64x26x26xf32> to tensor<64xf32>
  %w = burn.broadcast %v {dims = array<i64: 3>} : tensor<64xf32> to tensor<32x26x26x64xf32>
  %r = burn.mul %c, %w : tensor<32x26x26x64xf32>
  %k = burn.add %n, %v : tensor<64xf32>
  return %r, %k : tensor<32x26x26x64xf32>, tensor<64xf32>
}

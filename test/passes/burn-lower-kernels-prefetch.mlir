// RUN: burn-opt %s --burn-fuse --burn-plan-memory --burn-lower-kernels | FileCheck %s

// A product asks for what its epilogue reads and writes before it computes a tile.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<32768xf32>, %[[B:[a-z0-9]*]]: memref<65536xf32>, %[[C:[a-z0-9]*]]: memref<524288xf32>, %[[Y:[a-z0-9]*]]: memref<524288xf32>
// CHECK-NOT: memref.prefetch %[[A]]
// CHECK-NOT: memref.prefetch %[[B]]
// CHECK: memref.prefetch %[[C]]{{.*}}, read
// CHECK: memref.prefetch %[[Y]]{{.*}}, write
// CHECK: math.fma
// CHECK: vector.load %[[C]]
// CHECK: vector.store %{{.*}}, %[[Y]]

// What fits a cache is not asked for.
// CHECK-LABEL: func.func private @kernel_1(
// CHECK-NOT: memref.prefetch
func.func @main(%a: tensor<512x64xf32>, %b: tensor<64x1024xf32>, %c: tensor<512x1024xf32>, %d: tensor<64x64xf32>)
    -> (tensor<512x1024xf32>, tensor<64x64xf32>) {
  %ab = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<512x64xf32>, tensor<64x1024xf32> to tensor<512x1024xf32>
  %y = burn.add %ab, %c : tensor<512x1024xf32>
  %dd = burn.dot_general %d, %d {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x64xf32>, tensor<64x64xf32> to tensor<64x64xf32>
  %z = burn.add %dd, %d : tensor<64x64xf32>
  return %y, %z : tensor<512x1024xf32>, tensor<64x64xf32>
}

// RUN: burn-opt %s --split-input-file --burn-fuse=turn-reductions | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-fuse | FileCheck %s --check-prefix=PLAIN

// Tests that what is transposed for reductions alone is gone over as it lies, in one kernel with what stands around it.
// CHECK-LABEL: func.func @variance
// CHECK: burn.fused row
// CHECK-SAME: domain = array<i64: 4, 6, 7, 16>, reduce_dims = array<i64: 0, 1, 2>, walk = array<i64: 0, 3, 1, 2>
// CHECK: burn.reduce sum
// CHECK: burn.sub {{.*}} : tensor<4x6x7x16xf32>
// CHECK: burn.reduce sum
// CHECK-NOT: burn.fused
// CHECK: return
// PLAIN-LABEL: func.func @variance
// PLAIN-NOT: walk
func.func @variance(%x: tensor<4x6x7x16xf32>) -> tensor<16xf32> {
  %t = burn.transpose %x {perm = array<i64: 0, 3, 1, 2>} : tensor<4x6x7x16xf32> to tensor<4x16x6x7xf32>
  %m = burn.reduce sum %t {dims = array<i64: 0, 2, 3>} : tensor<4x16x6x7xf32> to tensor<16xf32>
  %b = burn.broadcast %m {dims = array<i64: 3>} : tensor<16xf32> to tensor<4x6x7x16xf32>
  %c = burn.sub %x, %b : tensor<4x6x7x16xf32>
  %q = burn.mul %c, %c : tensor<4x6x7x16xf32>
  %u = burn.transpose %q {perm = array<i64: 0, 3, 1, 2>} : tensor<4x6x7x16xf32> to tensor<4x16x6x7xf32>
  %v = burn.reduce sum %u {dims = array<i64: 0, 2, 3>} : tensor<4x16x6x7xf32> to tensor<16xf32>
  return %v : tensor<16xf32>
}

// -----

// Two reductions in different orders are two kernels.
// CHECK-LABEL: func.func @two_orders
// CHECK: burn.fused row {{.*}}reduce_dims = array<i64: 0, 1>}
// CHECK: burn.fused row {{.*}}reduce_dims = array<i64: 0, 1>, walk = array<i64: 0, 2, 1>
func.func @two_orders(%x: tensor<4x70x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %a = burn.reduce sum %x {dims = array<i64: 0, 1>} : tensor<4x70x16xf32> to tensor<16xf32>
  %t = burn.transpose %x {perm = array<i64: 0, 2, 1>} : tensor<4x70x16xf32> to tensor<4x16x70xf32>
  %b = burn.reduce sum %t {dims = array<i64: 0, 2>} : tensor<4x16x70xf32> to tensor<16xf32>
  return %a, %b : tensor<16xf32>, tensor<16xf32>
}

// -----

// What others need in the transposed order, and what has too few neighbours for vectors, is read in that order.
// CHECK-LABEL: func.func @read_by_others
// CHECK-NOT: walk
func.func @read_by_others(%x: tensor<4x70x16xf32>, %y: tensor<4x70x6xf32>)
    -> (tensor<16xf32>, tensor<4x16x70xf32>, tensor<6xf32>) {
  %t = burn.transpose %x {perm = array<i64: 0, 2, 1>} : tensor<4x70x16xf32> to tensor<4x16x70xf32>
  %b = burn.reduce sum %t {dims = array<i64: 0, 2>} : tensor<4x16x70xf32> to tensor<16xf32>
  %e = burn.exp %t : tensor<4x16x70xf32>
  %u = burn.transpose %y {perm = array<i64: 0, 2, 1>} : tensor<4x70x6xf32> to tensor<4x6x70xf32>
  %d = burn.reduce sum %u {dims = array<i64: 0, 2>} : tensor<4x6x70xf32> to tensor<6xf32>
  return %b, %e, %d : tensor<16xf32>, tensor<4x16x70xf32>, tensor<6xf32>
}

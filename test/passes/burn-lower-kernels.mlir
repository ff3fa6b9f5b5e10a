// RUN: burn-opt %s --burn-fuse --burn-plan-memory --burn-lower-kernels | FileCheck %s

// Tests the launch plan: each kernel with its buffers - a donated argument that a result takes over, a host
// scalar, the arena, a constant, the word in which a check leaves its failure - and the functions, on flat memory.
// CHECK: module attributes
// CHECK-SAME: burn.arena_bytes = 64 : i64
// CHECK-SAME: burn.checks = [{message = "an index of gather lies outside of its dimension", op = 0 : i64}]
// CHECK-SAME: burn.launches = [
// CHECK-SAME: buffers = [{buffer = 0 : i64}, {scalar = 0 : i64}, {buffer = 0 : i64}, {buffer = 4 : i64}], func = @kernel_0, inline, tasks = 1 : i64
// CHECK-SAME: buffers = [{buffer = 0 : i64}, {buffer = 1 : i64}, {arena = 0 : i64}, {error}], checks = 1 : i64, first_check = 0 : i64, func = @kernel_1
// CHECK-SAME: buffers = [{arena = 0 : i64}, {constant = @constant_0}, {buffer = 3 : i64}], func = @kernel_2

// The row kernel stores what it sums.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME: index, %{{.*}}: index, %[[X:.*]]: memref<100xf32>, %[[S:.*]]: memref<1xf32>, %[[A:.*]]: memref<100xf32>, %[[T:.*]]: memref<1xf32>)
// CHECK: memref.load %[[S]]
// CHECK: vector.load %[[X]]
// CHECK: arith.addf
// CHECK: vector.store %{{.*}}, %[[A]]
// CHECK: vector.maskedload %[[X]]
// CHECK: vector.maskedstore %[[A]]
// CHECK: memref.store %{{.*}}, %[[T]]

// The gather says which check failed, and reads nothing outside.
// CHECK-LABEL: func.func private @kernel_1(
// CHECK-SAME: %[[E:[a-z0-9]*]]: memref<1xi32>)
// CHECK: arith.cmpi ugt
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: vector.gather
// CHECK: scf.if
// CHECK-NEXT: %[[CODE:.*]] = arith.constant 1 : i32
// CHECK: memref.store %[[CODE]], %[[E]]

// CHECK-LABEL: func.func private @kernel_2(
// CHECK: arith.mulf

// CHECK: llvm.mlir.global internal unnamed_addr constant @constant_0("\00\00\80?\00\00\00@\00\00@@\00\00\80@") {{{.*}}alignment = 64
// CHECK-NOT: burn.
// CHECK-NOT: @main
func.func @main(%x: tensor<100xf32> {burn.donated}, %s: tensor<f32> {burn.scalar}, %i: tensor<4xi64>) -> (tensor<100xf32>, tensor<4xf32>, tensor<f32>) {
  %b = burn.broadcast %s {dims = array<i64>} : tensor<f32> to tensor<100xf32>
  %a = burn.add %x, %b : tensor<100xf32>
  %c = burn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %g = burn.gather check %a, %i {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
      start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>}
      : tensor<100xf32>, tensor<4xi64> to tensor<4xf32>
  %m = burn.mul %g, %c : tensor<4xf32>
  %t = burn.reduce sum %a {dims = array<i64: 0>} : tensor<100xf32> to tensor<f32>
  return %a, %m, %t : tensor<100xf32>, tensor<4xf32>, tensor<f32>
}

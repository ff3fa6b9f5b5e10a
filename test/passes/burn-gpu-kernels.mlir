// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels=scalar --burn-gpu-kernels="target=int8,storage8,int64,bindings=8" --canonicalize | FileCheck %s

// Tests that an invocation computes one element, that buffers become bindings and that host scalars are words of one
// block.

// CHECK: kernel = "kernel_0"
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: gpu.func @kernel_0(%[[A:.*]]: memref<100xf32>, %[[S:.*]]: memref<2xi32>, %[[R:.*]]: memref<100xf32>) kernel
// CHECK: %[[GROUP:.*]] = gpu.block_id x
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[TASK:.*]], %{{.*}} : index
// CHECK: scf.if %[[EXISTS]]
// CHECK: %[[WORD:.*]] = memref.load %[[S]]
// CHECK: %[[SCALE:.*]] = arith.bitcast %[[WORD]] : i32 to f32
// CHECK: memref.store %{{.*}}, %[[R]][%[[TASK]]]
func.func @main(%a: tensor<100xf32>, %skip: tensor<i32> {burn.scalar}, %scale: tensor<f32> {burn.scalar}) -> tensor<100xf32> {
  %0 = burn.broadcast %scale {dims = array<i64>} : tensor<f32> to tensor<100xf32>
  %1 = burn.mul %a, %0 : tensor<100xf32>
  return %1 : tensor<100xf32>
}

// -----

// Tests that a check lowers the error word to its number, unless an earlier kernel has left its own: in a loop that
// may be the larger one.

// CHECK-LABEL: gpu.module @kernel_1_module
// CHECK: %[[BEFORE:.*]] = memref.atomic_rmw ori %c0_i32, %[[ERROR:.*]][%{{.*}}]
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[BEFORE]], %c1_i32
// CHECK: %[[OWN:.*]] = arith.cmpi ult, %[[DISTANCE]], %c1_i32
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[BEFORE]], %c-1_i32
// CHECK: %[[FIRST:.*]] = arith.ori %[[OWN]], %[[NONE]]
// CHECK: scf.if %[[FIRST]]
// CHECK: memref.atomic_rmw minu %{{.*}}, %[[ERROR]]
func.func @main(%a: tensor<5xf32>, %i: tensor<3x1xi32>, %j: tensor<2x1xi32>) -> tensor<2xf32> {
  %0 = burn.gather check %a, %i {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<5xf32>, tensor<3x1xi32> to tensor<3xf32>
  %1 = burn.gather check %0, %j {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<3xf32>, tensor<2x1xi32> to tensor<2xf32>
  return %1 : tensor<2xf32>
}

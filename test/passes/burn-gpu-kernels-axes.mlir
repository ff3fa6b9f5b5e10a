// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=loop-iterations=65535,invocations=256,workgroup-x=256,bindings=8" --burn-gpu-kernels="target=int64,bindings=8,invocations=256,workgroup-x=256,loop-iterations=65535" --canonicalize | FileCheck %s

// Tests that the lanes of a workgroup search blocks of a line, the lower place winning between equals, and that a second
// kernel compares the blocks.

// CHECK: kernel = "kernel_0_blocks"
// CHECK-SAME: workgroup = 256
// CHECK: kernel = "kernel_0_combine"
// CHECK-LABEL: gpu.func @kernel_0_blocks
// CHECK-DAG: memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.alloc() : memref<256xi32, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK-LABEL: gpu.func @kernel_0_combine
func.func @main(%a: tensor<70000xf32>) -> (tensor<f32>, tensor<i64>) {
  %0, %1 = burn.arg_reduce max %a {axis = 0 : i64} : tensor<70000xf32> to tensor<f32>, tensor<i64>
  return %0, %1 : tensor<f32>, tensor<i64>
}

// -----

// Tests that a long line is scanned in blocks: what each adds up to, what stands before each, the blocks.

// CHECK: kernel = "kernel_0_totals"
// CHECK: kernel = "kernel_0_offsets"
// CHECK: kernel = "kernel_0"
// CHECK-LABEL: gpu.func @kernel_0(
// CHECK: gpu.barrier
func.func @main(%a: tensor<70000xf32>) -> tensor<70000xf32> {
  %0 = burn.scan sum %a {axis = 0 : i64, exclusive = false, reverse = false} : tensor<70000xf32>
  return %0 : tensor<70000xf32>
}

// -----

// Tests that a short line is sorted and written by one kernel.

// CHECK: burn.launches = [{
// CHECK-SAME: kernel = "kernel_0"
// CHECK-SAME: workgroup = 256
// CHECK-NOT: kernel_0_merge
// CHECK-LABEL: gpu.func @kernel_0(
// CHECK: memref.alloc() : memref<512xi64, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<300xf32>
func.func @main(%a: tensor<300xf32>) -> tensor<300xf32> {
  %0 = burn.sort %a {axis = 0 : i64, descending = false} : (tensor<300xf32>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}

// -----

// Tests that a linear scan, which is one chain, is cut into kernels where the GPU ends loops.

// CHECK: kernel = "kernel_0_0"
// CHECK: kernel = "kernel_0_32767"
// CHECK: kernel = "kernel_0_65534"
// CHECK-LABEL: gpu.func @kernel_0_0(
func.func @main(%a: tensor<70000xf32>, %x: tensor<70000xf32>) -> tensor<70000xf32> {
  %0 = burn.linear_scan %a, %x {axis = 0 : i64, reverse = false} : tensor<70000xf32>
  return %0 : tensor<70000xf32>
}

// -----

// Tests the same for the updates of a scatter.

// CHECK: kernel = "kernel_0_update0"
// CHECK: kernel = "kernel_0_update32767"
// CHECK: kernel = "kernel_0_update65534"
// CHECK-LABEL: gpu.func @kernel_0_copy(
func.func @main(%a: tensor<9xf32>, %i: tensor<70000xi32>, %u: tensor<70000xf32>) -> tensor<9xf32> {
  %0 = burn.scatter add fill %a, %i, %u {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<70000xi32>, tensor<70000xf32>
  return %0 : tensor<9xf32>
}

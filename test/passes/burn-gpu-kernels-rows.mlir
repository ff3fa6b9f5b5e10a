// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=bindings=8,invocations=256,workgroup-x=256" --burn-gpu-kernels="target=bindings=8,invocations=256,workgroup-x=256" --canonicalize | FileCheck %s

// Tests that a workgroup reduces a long row in its memory: each invocation takes every 128th element, and a fixed tree
// combines what they have.

// CHECK: grid = [7, 1, 1], kernel = "kernel_0", shared = 512 : i64, subgroup = 0 : i64, workgroup = 128 : i64
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %[[LANE:.*]] to %c1000 step %c128
// CHECK: memref.store %[[SUM]], %[[SUMS]][%[[LANE]]]
// CHECK: gpu.barrier
// CHECK: arith.cmpi ult, %[[LANE]], %c64
// CHECK: scf.if
// CHECK: %[[AT:.*]] = arith.muli %[[LANE]], %c2
// CHECK: memref.load %[[SUMS]][%[[AT]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %c1
// CHECK: memref.load %[[SUMS]][%[[NEXT]]]
// CHECK: gpu.barrier
// CHECK: arith.cmpi ult, %[[LANE]], %c32
// CHECK: scf.if
// CHECK: gpu.barrier
func.func @main(%a: tensor<7x1000xf32>) -> tensor<7xf32> {
  %0 = burn.reduce sum %a {dims = array<i64: 1>} : tensor<7x1000xf32> to tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// Tests that neighbouring invocations take neighbouring columns where the rows are reduced.

// CHECK: kernel = "kernel_0", shared = 1024 : i64, subgroup = 0 : i64, workgroup = 256 : i64
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK-DAG: %[[COLUMN:.*]] = arith.remui %[[INVOCATION:.*]], %c32
// CHECK-DAG: %[[LANE:.*]] = arith.divui %[[INVOCATION]], %c32
// CHECK: scf.for %{{.*}} = %[[LANE]] to %c500 step %c8
func.func @main(%a: tensor<500x64xf32>) -> tensor<64xf32> {
  %0 = burn.reduce sum %a {dims = array<i64: 0>} : tensor<500x64xf32> to tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Tests that a reduction with one result is cut into blocks, which the lanes of a second kernel combine.

// CHECK: grid = [25, 1, 1], kernel = "kernel_0_blocks"
// CHECK-SAME: grid = [1, 1, 1], kernel = "kernel_0_combine", shared = 256 : i64, subgroup = 0 : i64, workgroup = 64 : i64
// CHECK-LABEL: gpu.module @kernel_0_blocks_module
// CHECK-LABEL: gpu.module @kernel_0_combine_module
// CHECK: scf.for %{{.*}} = %{{.*}} to %c25 step %c4
func.func @main(%a: tensor<100000xf32>) -> tensor<f32> {
  %0 = burn.reduce sum %a {dims = array<i64: 0>} : tensor<100000xf32> to tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Tests that a short row is one invocation's.

// CHECK: kernel = "kernel_0", shared = 0 : i64, subgroup = 0 : i64, workgroup = 64 : i64
// CHECK-NOT: gpu.barrier
func.func @main(%a: tensor<100x10xf32>) -> tensor<100xf32> {
  %0 = burn.reduce max %a {dims = array<i64: 1>} : tensor<100x10xf32> to tensor<100xf32>
  return %0 : tensor<100xf32>
}

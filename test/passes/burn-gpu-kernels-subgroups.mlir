// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=bindings=8,int64,int8,storage8,subgroups,subgroup=32,invocations=256,workgroup-x=256" --burn-gpu-kernels="target=bindings=8,int64,int8,storage8,subgroups,subgroup=32,invocations=256,workgroup-x=256" --canonicalize | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=bindings=8,int64,int8,storage8,subgroups,subgroup=32,invocations=256,workgroup-x=256" | FileCheck %s --check-prefix=SPIRV

// Tests that the 128 lanes of a row meet within subgroups first, which leaves four values for workgroup memory, and that
// lanes are counted by subgroups, as the order of a workgroup's invocations in these is the driver's.

// CHECK: burn.gpu_features = {{[0-9]+}}
// CHECK-SAME: kernel = "kernel_0", shared = 512 : i64, subgroup = 32 : i64, workgroup = 128 : i64
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK: %[[LANE:.*]] = gpu.lane_id
// CHECK: %[[SUBGROUP:.*]] = gpu.subgroup_id
// CHECK: %[[FIRST:.*]] = arith.muli %[[SUBGROUP]], %c32
// CHECK: %[[INVOCATION:.*]] = arith.addi %[[FIRST]], %[[LANE]]
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %[[INVOCATION]] to %c1000 step %c128
// CHECK: %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[SUM]], %c1_i32, %c32_i32 : f32
// CHECK: %[[PAIR:.*]] = arith.addf %[[SUM]], %[[OTHER]]
// CHECK: gpu.shuffle xor %[[PAIR]], %c2_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c4_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c8_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.*}}, %[[SUMS]][%[[INVOCATION]]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: memref.load %[[SUMS]][%c0]
// CHECK: memref.load %[[SUMS]][%c32]
// CHECK: memref.load %[[SUMS]][%c64]
// CHECK: memref.load %[[SUMS]][%c96]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return

// SPIRV: spirv.module
// SPIRV-SAME: requires #spirv.vce<v1.3, [
// SPIRV-SAME: GroupNonUniformShuffle
// SPIRV-DAG: built_in("SubgroupLocalInvocationId")
// SPIRV-DAG: built_in("SubgroupId")
// SPIRV: spirv.GroupNonUniformShuffleXor <Subgroup>
func.func @main(%a: tensor<7x1000xf32>) -> tensor<7xf32> {
  %0 = burn.reduce sum %a {dims = array<i64: 1>} : tensor<7x1000xf32> to tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// Tests that lanes which are all in one subgroup need no memory and no barrier; that integers of 64 bits are exchanged
// by halves.

// CHECK: kernel = "kernel_0", shared = 0 : i64, subgroup = 32 : i64, workgroup = 64 : i64
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK-NOT: gpu.barrier
// CHECK: gpu.shuffle xor %{{.*}} : i32
// CHECK: gpu.shuffle xor %{{.*}} : i32
// CHECK: gpu.shuffle idx
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @main(%a: tensor<9x40xi64>) -> tensor<9xi64> {
  %0 = burn.reduce sum %a {dims = array<i64: 1>} : tensor<9x40xi64> to tensor<9xi64>
  return %0 : tensor<9xi64>
}

// -----

// Tests that invocations that stand in 32 neighbouring columns have no row in common with another of their subgroup.

// CHECK: kernel = "kernel_0", shared = 1024 : i64, subgroup = 0 : i64, workgroup = 256 : i64
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK-NOT: gpu.shuffle
func.func @main(%a: tensor<500x64xf32>) -> tensor<64xf32> {
  %0 = burn.reduce sum %a {dims = array<i64: 0>} : tensor<500x64xf32> to tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Tests that a scan takes over what the last of the lower lanes has, by shuffles up to a subgroup.

// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK-COUNT-5: gpu.shuffle idx
// CHECK: gpu.barrier
func.func @main(%a: tensor<7x1000xf32>) -> tensor<7x1000xf32> {
  %0 = burn.scan sum %a {axis = 1, exclusive = false, reverse = false} : tensor<7x1000xf32>
  return %0 : tensor<7x1000xf32>
}

// -----

// Tests that what only counts invocations by subgroups is SPIR-V 1.3, too, which subgroups came with: all that is
// compared is equal to itself.

// SPIRV: requires #spirv.vce<v1.3, [Int64, Shader, StorageBuffer8BitAccess, Int8, Matrix, GroupNonUniform],
func.func @main(%x: tensor<33x31xui64>) -> tensor<33xi1> {
  %0 = burn.reduce and %x {dims = array<i64: 1>} : tensor<33x31xui64> to tensor<33xui64>
  %1 = burn.compare eq %0, %0 : tensor<33xui64>
  return %1 : tensor<33xi1>
}

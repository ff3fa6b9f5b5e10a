// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=bindings=8,float16,int8,int16,subgroups,matrices,subgroup=32,invocations=256,workgroup-x=256,workgroup-memory=49152,matrix=f16:16x8x16,matrix=f16:16x16x16,matrix=i8:16x16x32" --burn-gpu-kernels="target=bindings=8,float16,storage16,int8,storage8,int16,subgroups,matrices,subgroup=32,invocations=256,workgroup-x=256,workgroup-memory=49152" --canonicalize --cse | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=bindings=8,float16,storage16,int8,storage8,int16,subgroups,matrices,subgroup=32,invocations=256,workgroup-x=256,workgroup-memory=49152,matrix=f16:16x8x16,matrix=f16:16x16x16,matrix=i8:16x16x32" | FileCheck %s --check-prefix=SPIRV

// Tests that a large product of f16 is computed by subgroups that multiply matrices, in the largest shape that the GPU
// has: operands go through workgroup memory by 16 bytes, those of the next steps while these are multiplied, and what
// follows on the result runs over sums of f32 out of workgroup memory.

// CHECK: kernel = "kernel_0", shared = {{[0-9]+}} : i64, subgroup = 32 : i64, workgroup = 256 : i64
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: gpu.func @kernel_0(%[[A:.*]]: memref<131072xvector<4xi32>>, %[[B:.*]]: memref<131072xvector<4xi32>>, %{{.*}}: memref<4194304xf16>)
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<1280xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK: %[[LANES:.*]] = memref.alloc() : memref<544xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK: gpu.subgroup_mma_constant_matrix %{{.*}} : !gpu.mma_matrix<16x16xf32, "COp">
// CHECK: scf.for %{{.*}} = %c0 to %c512 step %c32
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[ROWS]]
// CHECK: memref.store %{{.*}}, %[[LANES]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[A]]
// CHECK: memref.load %[[B]]
// CHECK: gpu.subgroup_mma_load_matrix %[[ROWS]][%{{.*}}] {leadDimension = 5 : index} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "AOp">
// CHECK: gpu.subgroup_mma_load_matrix %[[LANES]][%{{.*}}] {leadDimension = 17 : index} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "BOp">
// CHECK-COUNT-32: gpu.subgroup_mma_compute
// CHECK-NOT: gpu.subgroup_mma_compute
// CHECK: gpu.subgroup_mma_store_matrix
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: arith.truncf %{{.*}} : f32 to f16

// SPIRV-LABEL: spirv.module
// SPIRV-SAME: Logical Vulkan requires #spirv.vce<v1.6, [
// SPIRV-SAME: CooperativeMatrixKHR
// SPIRV-SAME: GroupNonUniform
// SPIRV: spirv.Store "Workgroup" %{{.*}} ["NonPrivatePointer"] : vector<4xi32>
// SPIRV: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// SPIRV: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %{{.*}}, <RowMajor>, <NonPrivatePointer> : {{.*}} -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
// SPIRV: spirv.KHR.CooperativeMatrixMulAdd
func.func @main(%a: tensor<2048x512xf16>, %b: tensor<512x2048xf16>) -> tensor<2048x2048xf16> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<2048x512xf16>, tensor<512x2048xf16> to tensor<2048x2048xf16>
  return %0 : tensor<2048x2048xf16>
}

// -----

// Tests that elements which do not lie by 16 bytes go one by one; that an operand whose rows are neighbours is read by
// columns; and that beyond the last steps zeros are multiplied.

// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: gpu.func @kernel_0(%{{.*}}: memref<8777xf16>, %{{.*}}: memref<10349xf16>, %{{.*}}: memref<5293xf16>)
// CHECK: memref.alloc() : memref<2560xf16, #gpu.address_space<workgroup>>
// CHECK: scf.for %{{.*}} = %c0 to %c131 step %c64
// CHECK: arith.cmpi ult, %{{.*}}, %c131
// CHECK: gpu.subgroup_mma_load_matrix %{{.*}} {leadDimension = 40 : index, transpose} : {{.*}} "AOp">
// CHECK: gpu.subgroup_mma_load_matrix %{{.*}} {leadDimension = 72 : index, transpose} : {{.*}} "BOp">
// SPIRV-LABEL: spirv.module
// SPIRV: <ColumnMajor>, <NonPrivatePointer> : {{.*}} -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
func.func @main(%a: tensor<131x67xf16>, %b: tensor<79x131xf16>) -> tensor<67x79xf16> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : tensor<131x67xf16>, tensor<79x131xf16> to tensor<67x79xf16>
  return %0 : tensor<67x79xf16>
}

// -----

// Tests that products of bytes are added up in i32 with signs, of which the last bits are the result.

// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: gpu.subgroup_mma_compute {{.*}} : !gpu.mma_matrix<16x32xsi8, "AOp">, !gpu.mma_matrix<32x16xsi8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
// CHECK: arith.trunci %{{.*}} : i32 to i8
// SPIRV-LABEL: spirv.module
// SPIRV: spirv.KHR.CooperativeMatrixMulAdd %{{.*}}, <ASigned|BSigned|CSigned|ResultSigned>
func.func @main(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>) -> tensor<64x64xi8> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<64x64xi8>, tensor<64x64xi8> to tensor<64x64xi8>
  return %0 : tensor<64x64xi8>
}

// -----

// Tests that f32 and bf16, for which the GPU has no matrices, are multiplied by invocations.

// CHECK-LABEL: gpu.module
// CHECK-NOT: mma
// SPIRV-LABEL: spirv.module
// SPIRV-SAME: Logical GLSL450 requires #spirv.vce<v1.0
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<64x64xf32>, tensor<64x64xf32> to tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: gpu.module
// CHECK-NOT: mma
// SPIRV-LABEL: spirv.module
// SPIRV-SAME: Logical GLSL450 requires #spirv.vce<v1.0
func.func @main(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<64x64xbf16>, tensor<64x64xbf16> to tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

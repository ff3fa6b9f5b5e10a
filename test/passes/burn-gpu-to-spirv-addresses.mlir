// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=int64,addresses" | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=int64,addresses,push-constants=24" | FileCheck %s --check-prefix=TABLE
// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=int64,addresses,bound-buffers=4,bindings=8" | FileCheck %s --check-prefix=BOUND

// Tests that the addresses of buffers are push constants in the order of the bindings, and that each access says how it
// is aligned; that they come in a table where push constants are few, and that few buffers are bound where that is
// faster.

// CHECK: spirv.module @{{.*}} PhysicalStorageBuffer64 GLSL450
// CHECK-SAME: burn.arguments = 1 : i64, burn.words = 0 : i64
// CHECK: spirv.GlobalVariable @arguments : !spirv.ptr<!spirv.struct<(i64 [0], i64 [8], i64 [16])>, PushConstant>
// CHECK-NOT: bind(
// CHECK: %[[ADDRESS:.*]] = spirv.Load "PushConstant" %{{.*}} : i64
// CHECK-NEXT: %[[A:.*]] = spirv.ConvertUToPtr %[[ADDRESS]] : i64 to !spirv.ptr<!spirv.struct<(!spirv.array<256 x vector<4xf32>, stride=16> [0])>, PhysicalStorageBuffer>
// CHECK: %[[AT:.*]] = spirv.AccessChain %[[A]]
// CHECK: spirv.Load "PhysicalStorageBuffer" %[[AT]] ["Aligned", 16] : vector<4xf32>
// CHECK: spirv.Store "PhysicalStorageBuffer" %{{.*}}, %{{.*}} ["Aligned", 16] : vector<4xf32>

// TABLE: burn.arguments = 1 : i64, burn.words = 0 : i64
// BOUND: spirv.module @{{.*}} Logical GLSL450
// BOUND: bind(0, 2)
func.func @main(%a: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = burn.add %a, %b : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// -----

// Tests that what the kernel takes otherwise stands behind the addresses, and the narrow elements of a table.

// CHECK: burn.arguments = 1 : i64, burn.words = 1 : i64
// CHECK: spirv.GlobalVariable @arguments : !spirv.ptr<!spirv.struct<(i64 [0], i64 [8], i64 [16], !spirv.array<1 x i32, stride=4> [24])>, PushConstant>

// TABLE: burn.arguments = 2 : i64, burn.words = 1 : i64
// TABLE: spirv.GlobalVariable @arguments : !spirv.ptr<!spirv.struct<(i64 [0], !spirv.array<1 x i32, stride=4> [8])>, PushConstant>
// TABLE: %[[TABLE:.*]] = spirv.ConvertUToPtr %{{.*}} : i64 to !spirv.ptr<!spirv.struct<(!spirv.array<3 x i64, stride=8> [0])>, PhysicalStorageBuffer>
// TABLE: %[[ENTRY:.*]] = spirv.AccessChain %[[TABLE]]
// TABLE: %[[FIRST:.*]] = spirv.Load "PhysicalStorageBuffer" %[[ENTRY]] ["Aligned", 8] : i64
// TABLE: spirv.ConvertUToPtr %[[FIRST]]
// TABLE: ["Aligned", 4] : f32
func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %zero = burn.constant dense<0.0> : tensor<5xf32>
  %0 = burn.max %a, %zero : tensor<5xf32>
  %1 = burn.mul %0, %b : tensor<5xf32>
  return %1 : tensor<5xf32>
}

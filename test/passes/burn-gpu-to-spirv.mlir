// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=bindings=8,int64" | FileCheck %s

// Tests that a driver does not see that a float is zero, which some take for a number without a sign.

// CHECK-LABEL: spirv.module
// CHECK: spirv.GlobalVariable @[[CONSTANTS:.*]] : !spirv.ptr<!spirv.struct<(!spirv.array<1 x i32, stride=4> [0])>, PushConstant>
// CHECK: %[[AT:.*]] = spirv.mlir.addressof @[[CONSTANTS]]
// CHECK-NOT: spirv.Constant 0.0
// CHECK: %[[ELEMENT:.*]] = spirv.AccessChain %[[AT]]
// CHECK: %[[WORD:.*]] = spirv.Load "PushConstant" %[[ELEMENT]]
// CHECK: %[[ZERO:.*]] = spirv.Bitcast %[[WORD]] : i32 to f32
// CHECK: spirv.FMul %{{.*}}, %[[ZERO]] {no_contraction} : f32
func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
  %zero = burn.constant dense<0.0> : tensor<100xf32>
  %0 = burn.mul %a, %zero : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Tests that a difference of a value and itself, NaN for an infinite one, is computed.

// CHECK-LABEL: spirv.module
// CHECK: %[[A:.*]] = spirv.Load "StorageBuffer" %{{.*}} : f32
// CHECK: %[[MINUS:.*]] = spirv.FNegate %[[A]] {no_contraction}
// CHECK: spirv.FAdd %[[A]], %[[MINUS]] {no_contraction}
// CHECK-NOT: spirv.FSub
func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
  %0 = burn.sub %a, %a : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Tests that a failing check orders no other memory: barriers would stand where not every invocation passes.

// CHECK-LABEL: spirv.module
// CHECK: spirv.AtomicUMin <Device> <None>
func.func @main(%a: tensor<9xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %0 = burn.gather check %a, %i {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : tensor<9xf32>, tensor<4xi32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Tests that a kernel may have a binding without elements.

// CHECK-LABEL: spirv.module
// CHECK: !spirv.array<1 x f32, stride=4>
func.func @main(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = burn.linear_scan %a, %a {axis = 0 : i64, reverse = false} : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

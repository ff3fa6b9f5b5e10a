// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=bindings=8,float64,float16,int64,storage16,exact16,int8,storage8" | FileCheck %s

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

// -----

// Tests that a loop without iterations, of the invocations behind the end of a short block, has its initial values.

// CHECK-LABEL: spirv.module @__spv__kernel_0_blocks
// CHECK: %[[LOWEST:.*]] = spirv.Constant 0xFF800000 : f32
// CHECK: %[[TO:.*]] = spirv.GL.UMin
// CHECK: %[[FROM:.*]] = spirv.IAdd
// CHECK: spirv.mlir.loop
// CHECK: spirv.SLessThan %{{.*}}, %[[TO]]
// CHECK: spirv.mlir.merge
// CHECK: %[[LAST:.*]] = spirv.Load "Function"
// CHECK: %[[RUNS:.*]] = spirv.SLessThan %[[FROM]], %[[TO]]
// CHECK: %[[TOTAL:.*]] = spirv.Select %[[RUNS]], %[[LAST]], %[[LOWEST]]
// CHECK: spirv.Store "Workgroup" %{{.*}}, %[[TOTAL]]
// CHECK-LABEL: spirv.module @__spv__kernel_0_combine
func.func @main(%a: tensor<6x8294xf32>) -> tensor<6xf32> {
  %0 = burn.reduce max %a {dims = array<i64: 1>} : tensor<6x8294xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// Tests that a square root is rounded right, which the instruction is not: residuals of the root say which neighbour is.

// CHECK-LABEL: spirv.module
// CHECK: %[[ROOT:.*]] = spirv.GL.Sqrt
// CHECK: spirv.FDiv %{{.*}}, %[[ROOT]]
// CHECK: %[[BETTER:.*]] = spirv.FAdd %[[ROOT]],
// CHECK: %[[BITS:.*]] = spirv.Bitcast %[[BETTER]] : f32 to i32
// CHECK: %[[NEXT:.*]] = spirv.IAdd %[[BITS]]
// CHECK: %[[PREVIOUS:.*]] = spirv.ISub %[[BITS]]
// CHECK: spirv.FOrdGreaterThan
// CHECK: spirv.FOrdLessThanEqual
func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
  %0 = burn.sqrt %a : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Tests that a value is a number of f16 before it is converted to that and back, which drivers leave out.

// CHECK-LABEL: spirv.module
// CHECK: spirv.FAdd
// CHECK: %[[ROUNDED:.*]] = spirv.Bitcast %{{.*}} : i32 to f32
// CHECK-NEXT: %[[HALF:.*]] = spirv.FConvert %[[ROUNDED]] : f32 to f16
// CHECK: spirv.FConvert %[[HALF]] : f16 to f32
func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
  %0 = burn.reduce_precision %a {type = f16} : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Tests that a value which is only stored as f16 is rounded by the instruction.

// CHECK-LABEL: spirv.module
// CHECK: %[[A:.*]] = spirv.Load "StorageBuffer" %{{.*}} : f32
// CHECK: %[[HALF:.*]] = spirv.FConvert %[[A]] : f32 to f16
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %[[HALF]]
func.func @main(%a: tensor<100xf32>) -> tensor<100xf16> {
  %0 = burn.convert %a : tensor<100xf32> to tensor<100xf16>
  return %0 : tensor<100xf16>
}

// -----

// Tests that drivers do not see that a value is converted to f32 and back.

// CHECK-LABEL: spirv.module
// CHECK: %[[WORD:.*]] = spirv.Load "PushConstant" %{{.*}} : i32
// CHECK: %[[ROUNDED:.*]] = spirv.FConvert %{{.*}} : f64 to f32
// CHECK: %[[BITS:.*]] = spirv.Bitcast %[[ROUNDED]] : f32 to i32
// CHECK: %[[SAME:.*]] = spirv.IAdd %[[BITS]], %[[WORD]] : i32
// CHECK: %[[VALUE:.*]] = spirv.Bitcast %[[SAME]] : i32 to f32
// CHECK: spirv.FConvert %[[VALUE]] : f32 to f64
func.func @main(%a: tensor<100xf64>) -> tensor<100xf64> {
  %0 = burn.reduce_precision %a {type = f32} : tensor<100xf64>
  return %0 : tensor<100xf64>
}

// -----

// Tests that an extended index is compared with a constant before it is extended.

// CHECK-LABEL: spirv.module
// CHECK: spirv.SLessThanEqual %{{.*}}, %cst2_i32 : i32
// CHECK-NOT: SConvert
// CHECK: spirv.EntryPoint
func.func @main() -> tensor<9xi1> {
  %i = burn.iota {dim = 0 : i64} : tensor<9xi64>
  %c = burn.constant dense<2> : tensor<9xi64>
  %0 = burn.compare le %i, %c : tensor<9xi64>
  return %0 : tensor<9xi1>
}

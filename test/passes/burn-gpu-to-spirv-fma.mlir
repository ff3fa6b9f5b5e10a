// RUN: burn-opt %s --burn-gpu-pipeline="target=bindings=8,fma32" | FileCheck %s --check-prefix=FUSED
// RUN: burn-opt %s --burn-gpu-pipeline="target=bindings=8,fma32-normal" | FileCheck %s --check-prefix=NORMAL
// RUN: burn-opt %s --burn-gpu-pipeline="target=bindings=8" | FileCheck %s --check-prefix=PARTS

// Tests that a fused multiply-add is the GPU's where that rounds once, and is put together elsewhere. The tangent of
// numbers takes many. A program with the GPU's says that it needs it. A GPU that takes subnormal numbers for zeros is
// asked where none can be, and without a question in the steps of a polynomial, where none matter.

// FUSED: burn.gpu_features = 8192 : i64
// FUSED: spirv.GL.Fma
// NORMAL: burn.gpu_features = 65536 : i64
// NORMAL: %[[SQUARE:.*]] = spirv.FMul
// NORMAL: %[[FIRST:.*]] = spirv.GL.Fma %{{.*}}, %[[SQUARE]]
// NORMAL-NEXT: %[[SECOND:.*]] = spirv.GL.Fma %[[FIRST]], %[[SQUARE]]
// NORMAL-NEXT: spirv.GL.Fma %[[SECOND]], %[[SQUARE]]
// NORMAL: %[[SUM:.*]] = spirv.GL.Fma %[[FACTOR:[^,]*]], %[[X:[^,]*]], %[[X]]
// NORMAL-NEXT: %[[SIZE:.*]] = spirv.GL.FAbs %[[SUM]]
// NORMAL: spirv.FOrdGreaterThanEqual %[[SIZE]]
// NORMAL: spirv.GL.FAbs %[[FACTOR]]
// NORMAL: spirv.GL.FAbs %[[X]]
// NORMAL: spirv.mlir.selection
// NORMAL: spirv.FMul
// PARTS: burn.gpu_features = 0 : i64
// PARTS-NOT: spirv.GL.Fma
// PARTS: spirv.FMul
func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
  %0 = burn.tanh %a : tensor<100xf32>
  return %0 : tensor<100xf32>
}

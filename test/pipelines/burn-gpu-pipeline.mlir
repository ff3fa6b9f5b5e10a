// RUN: burn-opt %s --burn-gpu-pipeline="target=bindings=8" | FileCheck %s

// Tests that a product becomes SPIR-V for Vulkan whose float operations no driver may contract, without a fused
// multiply-add, and with one binding for each buffer.

// CHECK: spirv.module
// CHECK-SAME: GLSL450
// CHECK-DAG: spirv.GlobalVariable @{{.*}} bind(0, 0)
// CHECK-DAG: spirv.GlobalVariable @{{.*}} bind(0, 1)
// CHECK-DAG: spirv.GlobalVariable @{{.*}} bind(0, 2)
// CHECK-NOT: GL.Fma
// CHECK: %[[PRODUCT:.*]] = spirv.FMul %{{.*}}, %{{.*}} {no_contraction} : f32
// CHECK: spirv.FAdd %{{.*}}, %[[PRODUCT]] {no_contraction} : f32
// CHECK-NOT: GL.Fma
// CHECK: spirv.EntryPoint "GLCompute"
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<3x4xf32>, tensor<4x5xf32> to tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

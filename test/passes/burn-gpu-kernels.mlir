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

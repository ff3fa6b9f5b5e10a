// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=bindings=8,float16,storage16,int8,storage8,int64" | FileCheck %s

// Tests that an invocation computes four neighbours, whose elements it loads and stores together. What is broadcast along
// them stays a buffer of elements.

// CHECK: bytes = [4096, 8192, 32, 8192]
// CHECK-SAME: grid = [8, 1, 1]
// CHECK-LABEL: spirv.module
// CHECK-DAG: bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<512 x vector<4xf16>, stride=8> [0])>, StorageBuffer>
// CHECK-DAG: bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.array<512 x vector<4xf32>, stride=16> [0])>, StorageBuffer>
// CHECK-DAG: bind(0, 2) : !spirv.ptr<!spirv.struct<(!spirv.array<8 x f32, stride=4> [0])>, StorageBuffer>
// CHECK-DAG: bind(0, 3) : !spirv.ptr<!spirv.struct<(!spirv.array<512 x vector<4xf32>, stride=16> [0])>, StorageBuffer>
// CHECK-COUNT-4: spirv.FMul
// CHECK: spirv.CompositeConstruct
// CHECK: spirv.Store "StorageBuffer" %{{.*}} : vector<4xf32>
// CHECK-NOT: spirv.Store
func.func @main(%a: tensor<8x256xf32>, %h: tensor<8x256xf16>, %b: tensor<8xf32>) -> tensor<8x256xf32> {
  %0 = burn.broadcast %b {dims = array<i64: 0>} : tensor<8xf32> to tensor<8x256xf32>
  %1 = burn.convert %h : tensor<8x256xf16> to tensor<8x256xf32>
  %2 = burn.add %a, %1 : tensor<8x256xf32>
  %3 = burn.mul %2, %0 : tensor<8x256xf32>
  return %3 : tensor<8x256xf32>
}

// -----

// Tests that a second kernel computes what four do not divide.

// CHECK: grid = [274, 1, 1], kernel = "kernel_0"
// CHECK-SAME: grid = [1, 1, 1], kernel = "kernel_0_rest"
// CHECK-LABEL: spirv.module @__spv__kernel_0_module
func.func @main(%a: tensor<70003xf32>) -> tensor<70003xf32> {
  %0 = burn.add %a, %a : tensor<70003xf32>
  return %0 : tensor<70003xf32>
}

// -----

// Tests that rows which four do not divide are computed element by element.

// CHECK-LABEL: spirv.module @__spv__kernel_0_module
// CHECK-NOT: vector<4xf32>
// CHECK: spirv.EntryPoint
func.func @main(%a: tensor<9x333xf32>, %b: tensor<333xf32>) -> tensor<9x333xf32> {
  %0 = burn.broadcast %b {dims = array<i64: 1>} : tensor<333xf32> to tensor<9x333xf32>
  %1 = burn.add %a, %0 : tensor<9x333xf32>
  return %1 : tensor<9x333xf32>
}

// -----

// Tests that two elements of 64 bits are a vector.

// CHECK-LABEL: spirv.module @__spv__kernel_0_module
// CHECK: spirv.array<1024 x vector<2xi64>, stride=16>
// CHECK: spirv.EntryPoint
func.func @main(%a: tensor<2048xi64>) -> tensor<2048xi64> {
  %0 = burn.add %a, %a : tensor<2048xi64>
  return %0 : tensor<2048xi64>
}

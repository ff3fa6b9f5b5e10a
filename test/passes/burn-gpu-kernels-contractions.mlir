// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=bindings=8,invocations=256,workgroup-x=256" --burn-gpu-kernels="target=bindings=8,invocations=256,workgroup-x=256" --canonicalize | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=bindings=8,workgroup-memory=16" --burn-gpu-kernels="target=bindings=8,workgroup-memory=16" --canonicalize | FileCheck %s --check-prefix=ALONE

// Tests that a workgroup computes a tile of a product: both operands come through its memory, 16 contracted steps at a
// time and by 16 bytes, in lines as their memory runs; those of the next steps while these are multiplied; and what
// follows on the product stands behind the loop. Where it has no such memory, an invocation computes an element alone.

// CHECK: grid = [6, 1, 1], kernel = "kernel_0", shared = 9472 : i64, subgroup = 0 : i64, workgroup = 256 : i64
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: gpu.func @kernel_0(%[[A:.*]]: memref<3000xvector<4xf32>>, %[[B:.*]]: memref<2560xvector<4xf32>>, %arg2
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<320xvector<4xf32>, #gpu.address_space<workgroup>>
// CHECK: %[[LANES:.*]] = memref.alloc() : memref<272xvector<4xf32>, #gpu.address_space<workgroup>>
// CHECK: scf.for %{{.*}} = %c0 to %c80 step %c16
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[ROWS]]
// CHECK: memref.store %{{.*}}, %[[LANES]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[A]]
// CHECK: memref.load %[[B]]
// CHECK: memref.load %[[ROWS]]
// CHECK-COUNT-256: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: scf.yield
// CHECK: scf.if
// CHECK: arith.cmpf ole
// CHECK: memref.store %{{.*}}, %arg2

// ALONE: grid = [300, 1, 1], kernel = "kernel_0", shared = 0 : i64, subgroup = 0 : i64, workgroup = 64 : i64
// ALONE: scf.for %{{.*}} = %c0 to %c80 step %c1
func.func @main(%a: tensor<150x80xf32>, %b: tensor<80x128xf32>) -> tensor<150x128xf32> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<150x80xf32>, tensor<80x128xf32> to tensor<150x128xf32>
  %1 = burn.relu %0 : tensor<150x128xf32>
  return %1 : tensor<150x128xf32>
}

// -----

// Tests that a long sum is one of chains of 256 steps, and that a product of few elements is cut into slices of the
// contracted steps, which a second kernel combines.

// CHECK: kernel = "kernel_0_slices"
// CHECK-SAME: kernel = "kernel_0_combine"
// CHECK-LABEL: gpu.module @kernel_0_slices_module
// CHECK: scf.for %{{.*}} step %c256 iter_args
// CHECK: scf.for %{{.*}} step %c16 iter_args
// CHECK-LABEL: gpu.module @kernel_0_combine_module
// CHECK: scf.for %{{.*}} = %c0 to %c{{.*}} step %c1
func.func @main(%a: tensor<8000x64xf32>, %b: tensor<8000x32xf32>) -> tensor<64x32xf32> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : tensor<8000x64xf32>, tensor<8000x32xf32> to tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// Tests that of a padded convolution only what exists is read, as zero beyond.

// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: memref.alloc() : memref<{{.*}}, #gpu.address_space<workgroup>>
// CHECK: %[[WITHIN:.*]] = arith.cmpi ult, %{{.*}}, %c28
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %c0
// CHECK: %[[ELEMENT:.*]] = memref.load %{{.*}}[%[[AT]]]
// CHECK: arith.select %{{.*}}, %[[ELEMENT]], %{{.*}} : f32
func.func @main(%x: tensor<4x8x28x28xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<4x16x28x28xf32> {
  %0 = burn.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, feature_groups = 1 : i64, batch_groups = 1 : i64, lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>} : tensor<4x8x28x28xf32>, tensor<16x8x3x3xf32> to tensor<4x16x28x28xf32>
  return %0 : tensor<4x16x28x28xf32>
}

// -----

// Tests that an invocation has 8 x 8 elements where there is work for all of a GPU.

// CHECK: grid = [256, 1, 1], kernel = "kernel_0"
// CHECK-LABEL: gpu.module @kernel_0_module
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c8
// CHECK-COUNT-512: arith.mulf
// CHECK-NOT: arith.mulf
func.func @main(%a: tensor<2048x64xf32>, %b: tensor<64x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<2048x64xf32>, tensor<64x2048xf32> to tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

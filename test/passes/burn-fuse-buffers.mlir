// RUN: burn-opt %s --burn-fuse=most-buffers=4 | FileCheck %s
// RUN: burn-opt %s --burn-fuse | FileCheck %s --check-prefix=ALL

// Tests that no kernel is merged beyond the number of buffers that a GPU binds. Host scalars count as one.

// CHECK-LABEL: func.func @main
// CHECK: burn.fused elementwise (%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) :
// CHECK: burn.fused elementwise
// CHECK-NOT: burn.fused
// ALL-LABEL: func.func @main
// ALL: burn.fused
// ALL-NOT: burn.fused
func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>, %d: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = burn.add %a, %b : tensor<8x4xf32>
  %1 = burn.mul %0, %c : tensor<8x4xf32>
  %2 = burn.sub %1, %d : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @scalars
// ALL-LABEL: func.func @scalars
// CHECK: burn.fused
// CHECK-NOT: burn.fused
func.func @scalars(%a: tensor<8xf32>, %b: tensor<8xf32>, %r: tensor<f32> {burn.scalar}, %s: tensor<f32> {burn.scalar}) -> tensor<8xf32> {
  %0 = burn.broadcast %r {dims = array<i64>} : tensor<f32> to tensor<8xf32>
  %1 = burn.broadcast %s {dims = array<i64>} : tensor<f32> to tensor<8xf32>
  %2 = burn.mul %a, %0 : tensor<8xf32>
  %3 = burn.mul %b, %1 : tensor<8xf32>
  %4 = burn.add %2, %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

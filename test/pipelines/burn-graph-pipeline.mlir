// RUN: split-file %s %t
// RUN: burn-opt %t/loss.mlir --burn-graph-pipeline | FileCheck %t/loss.mlir
// RUN: burn-opt %t/layer.mlir --burn-graph-pipeline | FileCheck %t/layer.mlir
// RUN: burn-opt %t/layer.mlir --burn-graph-pipeline=fusion=false | FileCheck %t/layer.mlir --check-prefix=ALONE

//--- loss.mlir
// Tests that the cross entropy of each example and its gradient are one kernel over the logits; what is
// left are reductions over the batch.
// CHECK: burn.fused row
// CHECK-SAME: domain = array<i64: 64>
// CHECK: burn.fused row (%arg0,
// CHECK-SAME: domain = array<i64: 64, 10>, reduce_dims = array<i64: 1>
// CHECK: burn.reduce max
// CHECK: burn.exp
// CHECK-NOT: burn.exp
// CHECK: burn.reduce sum
// CHECK: burn.log
// CHECK: burn.yield
// CHECK: burn.fused row
// CHECK-SAME: domain = array<i64: 64>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @main(%x: tensor<64x10xf32>, %t: tensor<64xi64>) -> (tensor<f32>, tensor<64x10xf32>) {
  %l = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<64x10xf32>, tensor<64xi64>) -> tensor<f32>
  %g = burn.grad(%l) wrt(%x) : (tensor<f32>, tensor<64x10xf32>) -> tensor<64x10xf32>
  return %l, %g : tensor<f32>, tensor<64x10xf32>
}

//--- layer.mlir
// Tests one step of a layer: the forward product with its activation, the gradient of the weight with the
// step of the optimizer, which overwrites the donated weight.
// CHECK: func.func @main
// CHECK-SAME: {donated = 1 : i64}
// CHECK: burn.fused contraction (%arg0, %arg1
// CHECK: burn.dot_general
// CHECK: burn.relu
// CHECK: burn.pack_panels 1 of
// CHECK: burn.fused contraction (%arg0, %arg3, %arg1, %{{[0-9]+}})
// CHECK-SAME: burn.place = [{arg = 1 : i64}]
// CHECK: burn.dot_general
// CHECK: burn.sub
// CHECK-NOT: burn.fused
// CHECK: return
// ALONE: burn.fused contraction
// ALONE-NEXT: ^bb0
// ALONE-NEXT: burn.dot_general
// ALONE-NEXT: burn.yield
// ALONE: burn.fused elementwise
// ALONE-NEXT: ^bb0
// ALONE-NEXT: burn.relu
// ALONE-NEXT: burn.yield
func.func @main(%x: tensor<64x784xf32>, %w: tensor<784x128xf32> {burn.donated}, %g: tensor<64x128xf32>,
                %rate: tensor<f32> {burn.scalar}) -> (tensor<64x128xf32>, tensor<784x128xf32>) {
  %p = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x784xf32>, tensor<784x128xf32> to tensor<64x128xf32>
  %y = burn.relu %p : tensor<64x128xf32>
  %gw = burn.grad(%p) cotangents(%g) wrt(%w)
      : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<784x128xf32>) -> tensor<784x128xf32>
  %l = burn.broadcast %rate {dims = array<i64>} : tensor<f32> to tensor<784x128xf32>
  %u = burn.mul %l, %gw : tensor<784x128xf32>
  %w2 = burn.sub %w, %u : tensor<784x128xf32>
  return %y, %w2 : tensor<64x128xf32>, tensor<784x128xf32>
}

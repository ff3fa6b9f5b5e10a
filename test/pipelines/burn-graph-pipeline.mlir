// RUN: burn-opt %s --split-input-file --burn-graph-pipeline | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-graph-pipeline=fusion=false | FileCheck %s --check-prefix=UNFUSED

// Tests that a GELU written by hand, x (erf(x / sqrt 2) + 1) / 2, is one kernel, and one kernel an op, constants
// included, without fusion.

// CHECK-LABEL: func.func @gelu(
// CHECK-COUNT-1: burn.fused elementwise
// CHECK-NOT:     burn.fused

// UNFUSED-LABEL: func.func @gelu(
// UNFUSED-COUNT-8: burn.fused
// UNFUSED-NOT:     burn.fused
// UNFUSED:         return
func.func @gelu(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %sqrt2 = burn.constant dense<1.41421354> : tensor<64x128xf32>
  %one = burn.constant dense<1.0> : tensor<64x128xf32>
  %two = burn.constant dense<2.0> : tensor<64x128xf32>
  %0 = burn.div %x, %sqrt2 : tensor<64x128xf32>
  %1 = burn.erf %0 : tensor<64x128xf32>
  %2 = burn.add %1, %one : tensor<64x128xf32>
  %3 = burn.mul %x, %2 : tensor<64x128xf32>
  %4 = burn.div %3, %two : tensor<64x128xf32>
  return %4 : tensor<64x128xf32>
}

// -----

// Tests that bias and activation live in the product, and what the reverse pass reads leaves it as further results.

// CHECK-LABEL: func.func @linear(
// CHECK:         burn.fused contraction
// CHECK:           burn.dot_general
// CHECK:           burn.add
// CHECK:           burn.relu
// CHECK-NOT:     burn.fused
func.func @linear(%x: tensor<64x100xf32>, %w: tensor<32x100xf32>, %b: tensor<32xf32>) -> tensor<64x32xf32> {
  %0 = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
    rhs_contract = array<i64: 1>} : tensor<64x100xf32>, tensor<32x100xf32> to tensor<64x32xf32>
  %1 = burn.broadcast %b {dims = array<i64: 1>} : tensor<32xf32> to tensor<64x32xf32>
  %2 = burn.add %0, %1 : tensor<64x32xf32>
  %3 = burn.relu %2 : tensor<64x32xf32>
  return %3 : tensor<64x32xf32>
}

// -----

// Tests that a softmax and its derivative are one kernel each: its parts are primitive ops over one row.

// CHECK-LABEL: func.func @softmax_gradient(
// CHECK-COUNT-1: burn.fused row
// CHECK-NOT:     burn.softmax
// CHECK-NOT:     burn.fused
func.func @softmax_gradient(%x: tensor<64x10xf32>, %g: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %y = burn.softmax %x {axis = 1} : tensor<64x10xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<64x10xf32>, tensor<64x10xf32>, tensor<64x10xf32>)
    -> tensor<64x10xf32>
  return %r : tensor<64x10xf32>
}

// -----

// Tests that equal values merge only after differentiation: the gradient by %a alone is %b, not twice %a.

// CHECK-LABEL: func.func @inner_value(
// CHECK:         burn.fused
// CHECK:           burn.tanh
// CHECK-NOT:       burn.add
// CHECK:           burn.yield
// CHECK-NOT:     burn.fused
func.func @inner_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = burn.tanh %x : tensor<4xf32>
  %b = burn.tanh %x : tensor<4xf32>
  %p = burn.mul %a, %b : tensor<4xf32>
  %s = burn.reduce sum %p {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
  %g = burn.grad(%s) wrt(%a) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

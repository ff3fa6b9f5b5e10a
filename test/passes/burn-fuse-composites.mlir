// RUN: burn-opt %s --pass-pipeline='builtin.module(func.func(burn-differentiate,burn-simplify,burn-decompose,burn-simplify,burn-fuse))' | FileCheck %s

// Tests that an activation joins the kernel of the product in front of it.
// CHECK-LABEL: @activation
// CHECK: burn.fused contraction
// CHECK: burn.dot_general
// CHECK: burn.logistic
// CHECK-NOT: burn.fused
// CHECK: return
func.func @activation(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %y = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<8x16xf32>, tensor<16x32xf32> to tensor<8x32xf32>
  %r = burn.silu %y : tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// Tests that layer_norm with its parameters is one row kernel, and so is its derivative with respect to the input.
// CHECK-LABEL: @layer_norm
// CHECK: burn.fused row {{.*}} {domain = array<i64: 8, 64>, reduce_dims = array<i64: 1>}
// CHECK: burn.fused row {{.*}} {domain = array<i64: 8, 64>, reduce_dims = array<i64: 0>}
// CHECK-NOT: burn.fused
// CHECK: return
func.func @layer_norm(%x: tensor<8x64xf32>, %s: tensor<64xf32>, %g: tensor<8x64xf32>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<64xf32>) {
  %y, %m, %r = burn.layer_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64}
      : (tensor<8x64xf32>, tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>, tensor<8xf32>)
  %d:2 = burn.grad(%y) cotangents(%g) wrt(%x, %s)
      : (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<64xf32>) -> (tensor<8x64xf32>, tensor<64xf32>)
  return %y, %d#0, %d#1 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<64xf32>
}

// Tests that group_norm is one row kernel over the groups, whose elements no copy brings together.
// CHECK-LABEL: @group_norm
// CHECK: burn.fused row {{.*}} {domain = array<i64: 8, 4, 100>, reduce_dims = array<i64: 2>}
// CHECK-NOT: burn.fused
// CHECK: return
func.func @group_norm(%x: tensor<8x16x5x5xf32>, %s: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<8x16x5x5xf32> {
  %y, %m, %r = burn.group_norm %x, %s, %b {groups = 4, epsilon = 1.0e-5 : f64}
      : (tensor<8x16x5x5xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x16x5x5xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
  return %y : tensor<8x16x5x5xf32>
}

// Tests that attention is two contractions with one row kernel between them, where mask, bias and softmax meet.
// CHECK-LABEL: @attention
// CHECK: burn.fused contraction
// CHECK: burn.fused row
// CHECK: burn.fused contraction
// CHECK-NOT: burn.fused
// CHECK: return
func.func @attention(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>,
                     %m: tensor<1x1x3x5xi1>, %b: tensor<1x1x1x5xf32>) -> tensor<1x4x3x8xf32> {
  %o, %l = burn.attention %q, %k, %v mask %m bias %b {causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x3x5xi1>, tensor<1x1x1x5xf32>)
      -> (tensor<1x4x3x8xf32>, tensor<1x4x3xf32>)
  return %o : tensor<1x4x3x8xf32>
}

// Tests that a step of AdamW stands in the kernel of the weight's gradient, the conversion of its numbers as well.
// CHECK-LABEL: @adamw
// CHECK: burn.fused contraction {{.*}} -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>)
// CHECK: burn.dot_general
// CHECK: burn.sqrt
// CHECK-NOT: burn.fused
// CHECK: return
func.func @adamw(%x: tensor<8x16xf32>, %d: tensor<8x32xf32>, %p: tensor<16x32xf32>, %m: tensor<16x32xf32>,
                 %v: tensor<16x32xf32>, %s: tensor<f64>, %c: tensor<f64>, %w: tensor<f64>)
    -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
  %g = burn.dot_general %x, %d {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>,
      rhs_contract = array<i64: 0>} : tensor<8x16xf32>, tensor<8x32xf32> to tensor<16x32xf32>
  %q, %n, %o = burn.adamw_update %p, %g, %m, %v, %s, %c, %w
      {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<16x32xf32>
  return %q, %n, %o : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
}

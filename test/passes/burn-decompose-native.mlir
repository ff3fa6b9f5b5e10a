// RUN: burn-opt %s --split-input-file --burn-decompose=native=true | FileCheck %s

// Tests that attention stays where there is a kernel for it, and other composites go.
// CHECK-LABEL: @kept
func.func @kept(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32> {
  // CHECK: %[[O:.*]], %{{.*}} = burn.attention
  // CHECK-NOT: burn.dot_general
  // CHECK: burn.reduce max %[[O]]
  // CHECK-NOT: burn.softmax
  %o, %l = burn.attention %q, %k, %k {causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x2x3x8xf32>, tensor<1x2x3xf32>)
  %s = burn.softmax %o {axis = 3} : tensor<1x2x3x8xf32>
  return %s : tensor<1x2x3x8xf32>
}

// -----

// Tests that attention of bf16 is computed in f32 and rounded once, each operand converted once.
// CHECK-LABEL: @narrow
// CHECK-SAME: (%[[Q:.*]]: tensor<1x2x3x8xbf16>, %[[K:.*]]: tensor<1x2x5x8xbf16>)
func.func @narrow(%q: tensor<1x2x3x8xbf16>, %k: tensor<1x2x5x8xbf16>) -> (tensor<1x2x3x8xbf16>, tensor<1x2x3xf32>) {
  // CHECK-DAG: %[[WQ:.*]] = burn.convert %[[Q]] : tensor<1x2x3x8xbf16> to tensor<1x2x3x8xf32>
  // CHECK-DAG: %[[WK:.*]] = burn.convert %[[K]] : tensor<1x2x5x8xbf16> to tensor<1x2x5x8xf32>
  // CHECK: %[[O:.*]], %[[L:.*]] = burn.attention %[[WQ]], %[[WK]], %[[WK]]
  // CHECK: %[[R:.*]] = burn.convert %[[O]] : tensor<1x2x3x8xf32> to tensor<1x2x3x8xbf16>
  // CHECK: return %[[R]], %[[L]]
  %o, %l = burn.attention %q, %k, %k {causal = true, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x2x3x8xbf16>, tensor<1x2x5x8xbf16>, tensor<1x2x5x8xbf16>) -> (tensor<1x2x3x8xbf16>, tensor<1x2x3xf32>)
  return %o, %l : tensor<1x2x3x8xbf16>, tensor<1x2x3xf32>
}

// -----

// Tests that vectors too long for the stack of a thread are left to products.
// CHECK-LABEL: @long
func.func @long(%q: tensor<1x1x3x400xf32>, %k: tensor<1x1x5x400xf32>) -> tensor<1x1x3x400xf32> {
  // CHECK-NOT: burn.attention
  // CHECK: burn.dot_general
  %o, %l = burn.attention %q, %k, %k {causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x1x3x400xf32>, tensor<1x1x5x400xf32>, tensor<1x1x5x400xf32>) -> (tensor<1x1x3x400xf32>, tensor<1x1x3xf32>)
  return %o : tensor<1x1x3x400xf32>
}

// -----

// Tests that the gradient of attention is a kernel too, and leaves nothing of the size of the scores.
// CHECK-LABEL: @gradient
func.func @gradient(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %l: tensor<1x2x3xf32>, %g: tensor<1x2x3x8xf32>)
    -> tensor<1x2x3x8xf32> {
  // CHECK: burn.attention_grad
  // CHECK-NOT: burn.dot_general
  // CHECK: return
  %r:4 = burn.attention_grad %q, %k, %k lse %l of %g, %l {causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x3xf32>, tensor<1x2x3x8xf32>,
         tensor<1x2x3xf32>)
      -> (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x3x5xf32>)
  return %r#0 : tensor<1x2x3x8xf32>
}

// -----

// Tests that a convolution of an input with gaps becomes one for each residue of the result's coordinates, of the taps
// that meet elements: 2 or 1 of 3 along each dimension.
// CHECK-LABEL: @dilated
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x9xf32>, %[[W:.*]]: tensor<8x8x3x3xf32>)
func.func @dilated(%x: tensor<2x8x9x9xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<2x8x17x17xf32> {
  // CHECK: %[[W00:.*]] = burn.slice %[[W]] {sizes = array<i64: 8, 8, 1, 1>, starts = array<i64: 0, 0, 1, 1>, strides = array<i64: 1, 1, 2, 2>}
  // CHECK: burn.conv %[[X]], %[[W00]] {{.*}}lhs_dilation = array<i64: 1, 1>{{.*}} to tensor<2x8x9x9xf32>
  // CHECK: burn.slice %[[W]] {sizes = array<i64: 8, 8, 1, 2>, starts = array<i64: 0, 0, 1, 0>, strides = array<i64: 1, 1, 2, 2>}
  // CHECK: burn.conv
  // CHECK: burn.slice %[[W]] {sizes = array<i64: 8, 8, 2, 1>, starts = array<i64: 0, 0, 0, 1>, strides = array<i64: 1, 1, 2, 2>}
  // CHECK: burn.conv
  // CHECK: burn.slice %[[W]] {sizes = array<i64: 8, 8, 2, 2>, starts = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 2, 2>}
  // CHECK: burn.conv
  // CHECK-NOT: burn.conv
  // CHECK: return %{{.*}} : tensor<2x8x17x17xf32>
  %y = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,
      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
      pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 2, 2>, rhs_dilation = array<i64: 1, 1>,
      feature_groups = 1, batch_groups = 1} : tensor<2x8x9x9xf32>, tensor<8x8x3x3xf32> to tensor<2x8x17x17xf32>
  return %y : tensor<2x8x17x17xf32>
}

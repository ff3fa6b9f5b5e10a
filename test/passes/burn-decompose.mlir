// RUN: burn-opt %s --split-input-file --burn-decompose | FileCheck %s

// Tests that softmax and log_softmax reduce twice and that nothing else is left of them.
// CHECK-LABEL: @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: %[[M:.*]] = burn.reduce max %[[X]] {dims = array<i64: 1>}
  // CHECK: %[[MB:.*]] = burn.broadcast %[[M]] {dims = array<i64: 0>}
  // CHECK: %[[D:.*]] = burn.sub %[[X]], %[[MB]]
  // CHECK: %[[E:.*]] = burn.exp %[[D]]
  // CHECK: %[[S:.*]] = burn.reduce sum %[[E]] {dims = array<i64: 1>}
  // CHECK: %[[SB:.*]] = burn.broadcast %[[S]] {dims = array<i64: 0>}
  // CHECK: burn.div %[[E]], %[[SB]]
  %r = burn.softmax %x {axis = 1} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// Tests that a composite on f16 computes in f32 and rounds once.
// CHECK-LABEL: @half
func.func @half(%x: tensor<8xf16>) -> tensor<8xf16> {
  // CHECK: burn.convert %{{.*}} : tensor<8xf16> to tensor<8xf32>
  // CHECK: burn.logistic %{{.*}} : tensor<8xf32>
  // CHECK: burn.convert %{{.*}} : tensor<8xf32> to tensor<8xf16>
  // CHECK-NOT: burn.convert
  %r = burn.silu %x : tensor<8xf16>
  return %r : tensor<8xf16>
}

// -----

// Tests that the class of a target is chosen by comparison, without a gather.
// CHECK-LABEL: @cross_entropy
func.func @cross_entropy(%x: tensor<4x10xf32>, %t: tensor<4xi64>) -> tensor<f32> {
  // CHECK: %[[P:.*]] = burn.sub %{{.*}} : tensor<4x10xf32>
  // CHECK: %[[I:.*]] = burn.iota {dim = 1 : i64} : tensor<4x10xi64>
  // CHECK: %[[HIT:.*]] = burn.compare eq %[[I]]
  // CHECK: %[[ONE:.*]] = burn.select %[[HIT]], %{{.*}}
  // CHECK: burn.reduce sum %[[ONE]] {dims = array<i64: 1>}
  // CHECK: burn.div %{{.*}} : tensor<f32>
  // CHECK-NOT: burn.gather
  %l = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Tests that batch_norm computes its variance in a second pass over the centred values.
// CHECK-LABEL: @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>
func.func @batch_norm(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>)
    -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
  // CHECK: burn.reduce sum %[[X]] {dims = array<i64: 0, 2>}
  // CHECK: %[[C:.*]] = burn.sub %[[X]]
  // CHECK: %[[CC:.*]] = burn.mul %[[C]], %[[C]]
  // CHECK: burn.reduce sum %[[CC]] {dims = array<i64: 0, 2>}
  // CHECK: burn.rsqrt %{{.*}} : tensor<3xf32>
  %y, %m, %v = burn.batch_norm %x, %s, %b {feature_dim = 1, epsilon = 1.0e-5 : f64} : tensor<2x3x4xf32>, tensor<3xf32>
  return %y, %m, %v : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// Tests that dropout draws its bits by its own ordinal.
// CHECK-LABEL: @dropout
func.func @dropout(%x: tensor<4xf32>, %k: tensor<2xui32>, %c: tensor<ui64>, %p: tensor<f64>) -> tensor<4xf32> {
  // CHECK: burn.rng_bits %{{.*}} {ordinal = 7 : i64} : tensor<4xui32>
  // CHECK: burn.select
  %r = burn.dropout %x, %k, %c, %p {ordinal = 7} : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Tests that layer_norm is two reductions over its lines, and that its statistics are f32 for f16.
// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<2x8xf16>) -> (tensor<2x8xf16>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK: %[[X:.*]] = burn.convert %{{.*}} : tensor<2x8xf16> to tensor<2x8xf32>
  // CHECK: burn.reduce sum %[[X]] {dims = array<i64: 1>}
  // CHECK: %[[C:.*]] = burn.sub %[[X]]
  // CHECK: %[[CC:.*]] = burn.mul %[[C]], %[[C]]
  // CHECK: burn.reduce sum %[[CC]] {dims = array<i64: 1>}
  // CHECK: burn.rsqrt %{{.*}} : tensor<2xf32>
  // CHECK: burn.convert %{{.*}} : tensor<2x8xf32> to tensor<2x8xf16>
  %y, %m, %r = burn.layer_norm %x {axis = 1, epsilon = 1.0e-5 : f64}
      : (tensor<2x8xf16>) -> (tensor<2x8xf16>, tensor<2xf32>, tensor<2xf32>)
  return %y, %m, %r : tensor<2x8xf16>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Tests that heads which share a key head are one matrix, so that no key is repeated.
// CHECK-LABEL: @grouped
func.func @grouped(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> {
  // CHECK: %[[Q:.*]] = burn.reshape %{{.*}} : tensor<1x4x3x8xf32> to tensor<1x2x6x8xf32>
  // CHECK: burn.dot_general %[[Q]], %{{.*}} : tensor<1x2x6x8xf32>, tensor<1x2x5x8xf32> to tensor<1x2x6x5xf32>
  // CHECK: burn.dot_general %{{.*}} : tensor<1x2x6x5xf32>, tensor<1x2x5x8xf32> to tensor<1x2x6x8xf32>
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x4x3x8xf32>, tensor<1x4x3xf32>)
  return %o : tensor<1x4x3x8xf32>
}

// -----

// Tests that the gradient of attention is five products, of scores and their gradient among them.
// CHECK-LABEL: @attention_grad
func.func @attention_grad(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>,
    %l: tensor<1x4x3xf32>, %g: tensor<1x4x3x8xf32>, %d: tensor<1x4x3xf32>)
    -> (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) {
  // CHECK-COUNT-5: burn.dot_general
  // CHECK-NOT: burn.dot_general
  %r:4 = burn.attention_grad %q, %k, %v lse %l of %g, %d {causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x4x3xf32>, tensor<1x4x3x8xf32>,
         tensor<1x4x3xf32>)
      -> (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x4x3x5xf32>)
  return %r#0, %r#1, %r#2 : tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>
}

// -----

// Tests that a source coordinate on a tie is found by whole numbers: 14.5 rounds up to 15.
// CHECK-LABEL: @tie
func.func @tie(%x: tensor<20xf32>) -> tensor<6xf32> {
  // CHECK: burn.constant dense<[1, 5, 8, 11, 15, 18]> : tensor<6xi64>
  // CHECK: burn.gather assume_valid
  %r = burn.interpolate nearest half_pixel round_prefer_ceil %x
      {sizes = array<i64: 6>, scales = array<f64: 0.3>, cubic_coeff = -0.75 : f64} : tensor<20xf32> to tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// Tests that updates which meet are added up in f32, and that assigned ones are left alone.
// CHECK-LABEL: @scatter
func.func @scatter(%x: tensor<10xbf16>, %i: tensor<4x1xi64>, %u: tensor<4xbf16>) -> (tensor<10xbf16>, tensor<10xbf16>) {
  // CHECK-DAG: %[[X:.*]] = burn.convert %arg0 : tensor<10xbf16> to tensor<10xf32>
  // CHECK-DAG: %[[U:.*]] = burn.convert %arg2 : tensor<4xbf16> to tensor<4xf32>
  // CHECK: %[[SUM:.*]] = burn.scatter add fill %[[X]], %arg1, %[[U]]
  // CHECK: burn.convert %[[SUM]] : tensor<10xf32> to tensor<10xbf16>
  %0 = burn.scatter add fill %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<10xbf16>, tensor<4x1xi64>, tensor<4xbf16>
  // CHECK: burn.scatter assign fill %arg0, %arg1, %arg2
  %1 = burn.scatter assign fill %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<10xbf16>, tensor<4x1xi64>, tensor<4xbf16>
  return %0, %1 : tensor<10xbf16>, tensor<10xbf16>
}

// -----

// Tests that a concatenation of many is one of concatenations, which are kernels of their own.
// CHECK-LABEL: @many_parts
func.func @many_parts(%x: tensor<2x3xf32>) -> tensor<2x120xf32> {
  // CHECK: %[[FIRST:.*]] = burn.concat {{.*}} -> tensor<2x60xf32>
  // CHECK: %[[REST:.*]] = burn.concat {{.*}} -> tensor<2x60xf32>
  // CHECK: %[[PARTS:.*]]:2 = burn.barrier %[[FIRST]], %[[REST]]
  // CHECK: burn.concat %[[PARTS]]#0, %[[PARTS]]#1 {axis = 1 : i64}
  %r = burn.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x120xf32>
  return %r : tensor<2x120xf32>
}

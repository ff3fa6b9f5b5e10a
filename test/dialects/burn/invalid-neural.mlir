// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that composites of neural networks which break a constraint are refused; functions are named for its code.

func.func @softmax_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.softmax' op expects axis within rank 1, got 1}}
  %r = burn.softmax %x {axis = 1} : tensor<4xf32>
  return
}

// -----

func.func @softmax_float(%x: tensor<4xi32>) {
  // expected-error@+1 {{'burn.softmax' op operand #0 must be ranked tensor of floats, but got 'tensor<4xi32>'}}
  %r = burn.softmax %x {axis = 0} : tensor<4xi32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.log_softmax' op expects axis within rank 1, got -1}}
  %r = burn.log_softmax %x {axis = -1} : tensor<4xf32>
  return
}

// -----

func.func @cross_entropy_c1(%x: tensor<4x10xf32>, %t: tensor<4xi64>) {
  // expected-error@+1 {{'burn.cross_entropy' op expects axis within rank 2, got 2}}
  %l = burn.cross_entropy mean %x, %t {axis = 2, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c2(%x: tensor<4x10xf32>, %t: tensor<5xi64>) {
  // expected-error@+1 {{'burn.cross_entropy' op expects i32 or i64 targets of shape [4] for logits f32[4, 10], got i64[5]}}
  %l = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<4x10xf32>, tensor<5xi64>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c2_type(%x: tensor<4x10xf32>, %t: tensor<4xi8>) {
  // expected-error@+1 {{'burn.cross_entropy' op expects i32 or i64 targets of shape [4] for logits f32[4, 10], got i8[4]}}
  %l = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<4x10xf32>, tensor<4xi8>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c3(%x: tensor<4x10xf32>, %t: tensor<4xi64>, %w: tensor<9xf32>) {
  // expected-error@+1 {{'burn.cross_entropy' op expects class weights f32[10], got f32[9]}}
  %l = burn.cross_entropy mean %x, %t, %w {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<4x10xf32>, tensor<4xi64>, tensor<9xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_smoothing(%x: tensor<4x10xf32>, %t: tensor<4xi64>) {
  // expected-error@+1 {{'burn.cross_entropy' op expects label_smoothing in [0, 1], got 1.500000}}
  %l = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 1.5 : f64}
      : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_result(%x: tensor<4x10xf32>, %t: tensor<4xi64>) {
  // expected-error@+1 {{'burn.cross_entropy' op expects result 0 of type 'tensor<4xf32>', got 'tensor<f32>'}}
  %l = burn.cross_entropy none %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{'burn.batch_norm' op expects feature_dim within rank 2, got 2}}
  %y, %m, %v = burn.batch_norm %x, %s, %s {feature_dim = 2, epsilon = 1.0e-5 : f64} : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{'burn.batch_norm' op expects scale and bias f32[3] for input f32[2, 3], got f32[2] and f32[2]}}
  %y, %m, %v = burn.batch_norm %x, %s, %s {feature_dim = 1, epsilon = 1.0e-5 : f64} : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @batch_norm_c3(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{'burn.batch_norm' op expects epsilon to be finite in f32 and >= 0, got -1}}
  %y, %m, %v = burn.batch_norm %x, %s, %s {feature_dim = 1, epsilon = -1.0 : f64} : tensor<2x3xf32>, tensor<3xf32>
  return
}

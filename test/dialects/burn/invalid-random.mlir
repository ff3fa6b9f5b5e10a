// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that random ops which break a constraint are refused; functions are named for its code.

func.func @rng_bits_c1(%k: tensor<3xui32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.rng_bits' op operand #0 must be tensor<2xui32>, but got 'tensor<3xui32>'}}
  %b = "burn.rng_bits"(%k, %c) {ordinal = 0 : i64} : (tensor<3xui32>, tensor<ui64>) -> tensor<4xui32>
  return
}

// -----

func.func @rng_bits_c2(%k: tensor<2xui32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.rng_bits' op result #0 must be ranked tensor of ui32 or ui64, but got 'tensor<4xi32>'}}
  %b = burn.rng_bits %k, %c {ordinal = 0} : tensor<4xi32>
  return
}

// -----

func.func @dropout_c1(%x: tensor<4xf32>, %k: tensor<2xui32>, %c: tensor<i64>, %p: tensor<f64>) {
  // expected-error@+1 {{'burn.dropout' op operand #2 must be tensor<ui64>, but got 'tensor<i64>'}}
  %r = "burn.dropout"(%x, %k, %c, %p) {ordinal = 0 : i64} : (tensor<4xf32>, tensor<2xui32>, tensor<i64>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<4xf32>, %k: tensor<2xui32>, %c: tensor<ui64>, %p: tensor<f32>) {
  // expected-error@+1 {{'burn.dropout' op operand #3 must be tensor<f64>, but got 'tensor<f32>'}}
  %r = "burn.dropout"(%x, %k, %c, %p) {ordinal = 0 : i64} : (tensor<4xf32>, tensor<2xui32>, tensor<ui64>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @categorical_c1(%w: tensor<4x5xf32>, %k: tensor<2xi32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.categorical' op operand #1 must be tensor<2xui32>, but got 'tensor<2xi32>'}}
  %r = "burn.categorical"(%w, %k, %c) {ordinal = 0 : i64, samples = 3 : i64} : (tensor<4x5xf32>, tensor<2xi32>, tensor<ui64>) -> tensor<4x3xi64>
  return
}

// -----

func.func @categorical_c2(%w: tensor<4x0xf32>, %k: tensor<2xui32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.categorical' op expects weights of at least one class along the last dimension, got f32[4, 0]}}
  %r = burn.categorical %w, %k, %c {ordinal = 0, samples = 3} : tensor<4x0xf32> to tensor<4x3xi64>
  return
}

// -----

func.func @categorical_c3(%w: tensor<4x5xf32>, %k: tensor<2xui32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.categorical' op expects a number of samples that is not negative, got -1}}
  %r = burn.categorical %w, %k, %c {ordinal = 0, samples = -1} : tensor<4x5xf32> to tensor<4x3xi64>
  return
}

// -----

func.func @uniform_c1(%k: tensor<2xui32>, %c: tensor<1xui64>) {
  // expected-error@+1 {{'burn.uniform' op operand #1 must be tensor<ui64>, but got 'tensor<1xui64>'}}
  %r = "burn.uniform"(%k, %c) {ordinal = 0 : i64} : (tensor<2xui32>, tensor<1xui64>) -> tensor<4xf32>
  return
}

// -----

func.func @uniform_c2(%k: tensor<2xui32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.uniform' op result #0 must be ranked tensor of floats, but got 'tensor<4xi32>'}}
  %r = burn.uniform %k, %c {ordinal = 0} : tensor<4xi32>
  return
}

// -----

func.func @normal_c1(%k: tensor<3xui32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.normal' op operand #0 must be tensor<2xui32>, but got 'tensor<3xui32>'}}
  %r = "burn.normal"(%k, %c) {ordinal = 0 : i64} : (tensor<3xui32>, tensor<ui64>) -> tensor<4xf32>
  return
}

// -----

func.func @normal_c2(%k: tensor<2xui32>, %c: tensor<ui64>) {
  // expected-error@+1 {{'burn.normal' op result #0 must be ranked tensor of floats, but got 'tensor<4xi32>'}}
  %r = burn.normal %k, %c {ordinal = 0} : tensor<4xi32>
  return
}

// -----

func.func @bernoulli_c1(%p: tensor<4xf32>, %k: tensor<2xui32>, %c: tensor<i64>) {
  // expected-error@+1 {{'burn.bernoulli' op operand #2 must be tensor<ui64>, but got 'tensor<i64>'}}
  %r = "burn.bernoulli"(%p, %k, %c) {ordinal = 0 : i64} : (tensor<4xf32>, tensor<2xui32>, tensor<i64>) -> tensor<4xi1>
  return
}

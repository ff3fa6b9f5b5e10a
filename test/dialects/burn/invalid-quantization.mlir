// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that quantized tensors and updates which break a constraint are refused; functions are named for its code.

func.func @quantize_c1(%x: tensor<2x8xf32>, %s: tensor<2x2xf32>) {
  // expected-error@+1 {{'burn.quantize' op expects a block size that divides dimension 1 of f32[2, 8], got 3}}
  %q = burn.quantize i8 %x, %s {block = array<i64: 1, 3>, saturate = true} : (tensor<2x8xf32>, tensor<2x2xf32>) -> tensor<2x8xi8>
  return
}

// -----

func.func @quantize_c1_length(%x: tensor<2x8xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{'burn.quantize' op expects block to have 2 entries, got 1}}
  %q = burn.quantize i8 %x, %s {block = array<i64: 4>, saturate = true} : (tensor<2x8xf32>, tensor<2xf32>) -> tensor<2x8xi8>
  return
}

// -----

func.func @quantize_c2(%x: tensor<2x8xf32>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.quantize' op expects a scale of type f32[2, 2], got f32[2, 3]}}
  %q = burn.quantize i8 %x, %s {block = array<i64: 1, 4>, saturate = true} : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xi8>
  return
}

// -----

func.func @quantize_c2_zero_point(%x: tensor<2x8xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi8>) {
  // expected-error@+1 {{'burn.quantize' op expects zero points of type i32[2, 2], got i8[2, 2]}}
  %q = burn.quantize i8 %x, %s, %z {block = array<i64: 1, 4>, saturate = true} : (tensor<2x8xf32>, tensor<2x2xf32>, tensor<2x2xi8>) -> tensor<2x8xi8>
  return
}

// -----

func.func @quantize_c3(%x: tensor<2x8xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi32>) {
  // expected-error@+1 {{'burn.quantize' op float storage has no zero points}}
  %q = burn.quantize f8E4M3FN %x, %s, %z {block = array<i64: 1, 4>, saturate = true} : (tensor<2x8xf32>, tensor<2x2xf32>, tensor<2x2xi32>) -> tensor<2x8xui8>
  return
}

// -----

func.func @quantize_c4(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.quantize' op a scalar cannot be packed}}
  %q = burn.quantize i4 %x, %x {block = array<i64>, saturate = true} : (tensor<f32>, tensor<f32>) -> tensor<ui8>
  return
}

// -----

func.func @quantize_c5(%x: tensor<2x8xf32>, %s: tensor<2x2xf32>) {
  // expected-error@+1 {{'burn.quantize' op integer storage saturates}}
  %q = burn.quantize i8 %x, %s {block = array<i64: 1, 4>, saturate = false} : (tensor<2x8xf32>, tensor<2x2xf32>) -> tensor<2x8xi8>
  return
}

// -----

func.func @dequantize_c1(%q: tensor<2x8xi8>, %s: tensor<2x2xf32>) {
  // expected-error@+1 {{'burn.dequantize' op expects a block size that divides dimension 1 of f32[2, 8], got 3}}
  %x = burn.dequantize i8 %q, %s {block = array<i64: 1, 3>} : (tensor<2x8xi8>, tensor<2x2xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @dequantize_c2(%q: tensor<2x8xi8>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.dequantize' op expects a scale of type f32[2, 2], got f32[2, 3]}}
  %x = burn.dequantize i8 %q, %s {block = array<i64: 1, 4>} : (tensor<2x8xi8>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @dequantize_c3(%q: tensor<2x8xui8>, %s: tensor<2x2xf32>, %z: tensor<2x2xi32>) {
  // expected-error@+1 {{'burn.dequantize' op float storage has no zero points}}
  %x = burn.dequantize f8E4M3FN %q, %s, %z {block = array<i64: 1, 4>} : (tensor<2x8xui8>, tensor<2x2xf32>, tensor<2x2xi32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @dequantize_c4(%q: tensor<ui8>, %s: tensor<f32>) {
  // expected-error@+1 {{'burn.dequantize' op a scalar cannot be packed}}
  %x = burn.dequantize i4 %q, %s {block = array<i64>} : (tensor<ui8>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @dequantize_c5(%q: tensor<2x8xui8>, %s: tensor<2x2xf32>) {
  // expected-error@+1 {{'burn.dequantize' op expects a quantized tensor of type ui8[2, 4], got ui8[2, 8]}}
  %x = burn.dequantize i4 %q, %s {block = array<i64: 1, 4>} : (tensor<2x8xui8>, tensor<2x2xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @adamw_update_c1(%p: tensor<4xf32>, %g: tensor<4xf64>, %s: tensor<f64>) {
  // expected-error@+1 {{'burn.adamw_update' op failed to verify that all of {parameter, gradient, average, average_of_squares} have same type}}
  %q, %n, %w = "burn.adamw_update"(%p, %g, %p, %p, %s, %s, %s) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adamw_update_c2(%p: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'burn.adamw_update' op operand #4 must be tensor<f64>, but got 'tensor<f32>'}}
  %q, %n, %w = "burn.adamw_update"(%p, %p, %p, %p, %s, %s, %s) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

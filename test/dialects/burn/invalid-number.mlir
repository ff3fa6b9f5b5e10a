// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that elementary functions and ops on the representation of numbers which break a constraint are refused;
// functions are named for its code.

func.func @polygamma_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.polygamma' op expects n between 1 and 64, got 0}}
  %r = burn.polygamma %x {n = 0} : tensor<4xf32>
  return
}

// -----

func.func @polygamma_c1_above(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.polygamma' op expects n between 1 and 64, got 65}}
  %r = burn.polygamma %x {n = 65} : tensor<4xf32>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.bitcast' op expects types of one width, got f32[4] and i64[4]}}
  %r = burn.bitcast %x : tensor<4xf32> to tensor<4xi64>
  return
}

// -----

func.func @bitcast_c2(%x: tensor<4xi8>) {
  // expected-error@+1 {{'burn.bitcast' op result #0 must be ranked tensor of numbers, but got 'tensor<4xi1>'}}
  %r = burn.bitcast %x : tensor<4xi8> to tensor<4xi1>
  return
}

// -----

func.func @bitcast_shape(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.bitcast' op expects a result of shape [4], got [2]}}
  %r = burn.bitcast %x : tensor<4xf32> to tensor<2xi32>
  return
}

// -----

func.func @reduce_precision_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.reduce_precision' op expects a float type that is not wider than f32, got f64}}
  %r = burn.reduce_precision %x {type = f64} : tensor<4xf32>
  return
}

// -----

func.func @reduce_precision_c1_integer(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.reduce_precision' op expects a float type that is not wider than f32, got i32}}
  %r = burn.reduce_precision %x {type = i32} : tensor<4xf32>
  return
}

// -----

func.func @unary_float(%x: tensor<4xi32>) {
  // expected-error@+1 {{'burn.sin' op operand #0 must be ranked tensor of floats, but got 'tensor<4xi32>'}}
  %r = burn.sin %x : tensor<4xi32>
  return
}

// -----

func.func @binary_float(%x: tensor<4xi32>) {
  // expected-error@+1 {{'burn.atan2' op operand #0 must be ranked tensor of floats, but got 'tensor<4xi32>'}}
  %r = burn.atan2 %x, %x : tensor<4xi32>
  return
}

// -----

func.func @binary_integer(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.shl' op operand #0 must be ranked tensor of integers, but got 'tensor<4xf32>'}}
  %r = burn.shl %x, %x : tensor<4xf32>
  return
}

// -----

func.func @unary_integer(%x: tensor<4xi1>) {
  // expected-error@+1 {{'burn.popcnt' op operand #0 must be ranked tensor of integers, but got 'tensor<4xi1>'}}
  %r = burn.popcnt %x : tensor<4xi1>
  return
}

// -----

func.func @test_float(%x: tensor<4xi32>) {
  // expected-error@+1 {{'burn.is_nan' op expects floats, got i32[4]}}
  %r = burn.is_nan %x : tensor<4xi32>
  return
}

// -----

func.func @rem_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'burn.rem' op expects operands of one type, got f32[4] and f64[4]}}
  %r = "burn.rem"(%x, %y) {rounding = 0 : i32} : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

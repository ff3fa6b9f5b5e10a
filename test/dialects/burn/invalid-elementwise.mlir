// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that elementwise ops which break a constraint are refused; functions are named for its code.

func.func @unary_float(%x: tensor<4xi32>) {
  // expected-error@+1 {{'burn.exp' op operand #0 must be ranked tensor of floats, but got 'tensor<4xi32>'}}
  %r = burn.exp %x : tensor<4xi32>
  return
}

// -----

func.func @unary_number(%x: tensor<4xi1>) {
  // expected-error@+1 {{'burn.neg' op operand #0 must be ranked tensor of numbers, but got 'tensor<4xi1>'}}
  %r = burn.neg %x : tensor<4xi1>
  return
}

// -----

func.func @unary_bits(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.not' op operand #0 must be ranked tensor of booleans or integers, but got 'tensor<4xf32>'}}
  %r = burn.not %x : tensor<4xf32>
  return
}

// -----

func.func @unary_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.neg' op expects result 0 of type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %r = "burn.neg"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @binary_c1(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'burn.add' op expects operands of one type, got f32[4] and f32[5]}}
  %r = "burn.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_number(%p: tensor<4xi1>) {
  // expected-error@+1 {{'burn.add' op operand #0 must be ranked tensor of numbers, but got 'tensor<4xi1>'}}
  %r = burn.add %p, %p : tensor<4xi1>
  return
}

// -----

func.func @binary_bits(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.and' op operand #0 must be ranked tensor of booleans or integers, but got 'tensor<4xf32>'}}
  %r = burn.and %x, %x : tensor<4xf32>
  return
}

// -----

func.func @compare_types(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'burn.compare' op expects operands of one type, got f32[4] and i32[4]}}
  %r = "burn.compare"(%x, %i) {direction = 0 : i32} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @select_c1(%x: tensor<4xf32>, %p: tensor<5xi1>) {
  // expected-error@+1 {{'burn.select' op expects a predicate of shape [4], got [5]}}
  %r = burn.select %p, %x, %x : tensor<5xi1>, tensor<4xf32>
  return
}

// -----

func.func @select_predicate(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.select' op operand #0 must be ranked tensor of booleans, but got 'tensor<4xf32>'}}
  %r = burn.select %x, %x, %x : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @clamp_c1(%x: tensor<4xf32>, %l: tensor<f32>) {
  // expected-error@+1 {{'burn.clamp' op expects operands of one type, got f32[4] and f32[]}}
  %r = "burn.clamp"(%x, %l, %l) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @convert_shape(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.convert' op expects equal shapes, got [4] and [5]}}
  %r = burn.convert %x : tensor<4xf32> to tensor<5xf64>
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?xf32>) {
  // expected-error@+1 {{'burn.neg' op expects operands and results of static shape, rank 8 at most and less than 2^60 elements}}
  %r = burn.neg %x : tensor<?xf32>
  return
}

// -----

func.func @signed_element(%x: tensor<4xsi32>) {
  // expected-error@+1 {{'burn.neg' op operand #0 must be ranked tensor of numbers, but got 'tensor<4xsi32>'}}
  %r = burn.neg %x : tensor<4xsi32>
  return
}

// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that differentiation markers and regions which break a constraint are refused; functions are named for its code.

func.func @grad_c1(%l: tensor<f32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'burn.grad' op operand #1 must be variadic of ranked tensor of floats, but got 'tensor<4xi32>'}}
  %g = "burn.grad"(%l, %i) {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<f32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @grad_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.grad' op expects one scalar output where no cotangents are given, got f32[4]}}
  %g = burn.grad(%x) wrt(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @grad_c2_type(%x: tensor<4xf32>, %c: tensor<5xf32>) {
  // expected-error@+1 {{'burn.grad' op expects a cotangent f32[4], got f32[5]}}
  %g = burn.grad(%x) cotangents(%c) wrt(%x) : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fused_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.fused' op expects region arguments of types 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %r = burn.fused elementwise (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<5xf32>):
    burn.yield %a : tensor<5xf32>
  }
  return
}

// -----

func.func @fused_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.fused' op expects yielded values of types 'tensor<5xf32>', got 'tensor<4xf32>'}}
  %r = burn.fused elementwise (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    burn.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @fused_isolated(%x: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %r = burn.fused elementwise () : () -> tensor<4xf32> {
  // expected-error@+1 {{'burn.neg' op using value defined outside the region}}
    %s = burn.neg %x : tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @yield_outside() {
  // expected-error@+1 {{'burn.yield' op expects parent op to be one of 'burn.fused, burn.if, burn.for, burn.while, burn.checkpoint, burn.custom_vjp, burn.custom_kernel'}}
  burn.yield
  return
}

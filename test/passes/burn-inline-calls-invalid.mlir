// RUN: burn-opt %s --split-input-file --burn-inline-calls --verify-diagnostics

// Tests that recursion through another function is an error at the call that closes the circle.

// expected-note@+1 {{see the function that is called again}}
func.func @even(%x: tensor<f32>) -> tensor<f32> {
  %r = burn.call @odd(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func @odd(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'burn.call' op is recursive: programs cannot call themselves}}
  %r = burn.call @even(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Tests that a callee must be straight-line code.

func.func @jumps(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<f32>
}

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'burn.call' op expects a callee of one block}}
  %r = burn.call @jumps(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// RUN: burn-opt %s --burn-simplify --verify-diagnostics

// Tests that a function that still holds burn.grad is refused: merging %a and %b would double the gradient.

func.func @grad(%x: tensor<f32>) -> tensor<f32> {
  %a = burn.tanh %x : tensor<f32>
  %b = burn.tanh %x : tensor<f32>
  %p = burn.mul %a, %b : tensor<f32>
  // expected-error @below {{must be expanded before simplification}}
  %g = burn.grad(%p) wrt(%a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

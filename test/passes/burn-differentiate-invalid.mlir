// RUN: burn-opt %s --split-input-file --burn-differentiate --verify-diagnostics

// Tests that a gradient that arrives at an op without a rule is an error there, and says where it was taken.

func.func private @external(tensor<f32>) -> tensor<f32>

func.func @no_rule(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'func.call' op has no derivative, but a gradient flows through it}}
  %y = func.call @external(%x) : (tensor<f32>) -> tensor<f32>
  %z = burn.exp %y : tensor<f32>
  // expected-note @below {{the gradient is taken here}}
  %g = burn.grad(%z) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Tests that such an op may stand where no gradient arrives.

func.func private @external(tensor<f32>) -> tensor<f32>

func.func @not_reached(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @external(%x) : (tensor<f32>) -> tensor<f32>
  %s = burn.stop_gradient %y : tensor<f32>
  %z = burn.mul %s, %x : tensor<f32>
  %g = burn.grad(%z) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Tests that only straight-line code is differentiated.

func.func @branches(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  %y = burn.exp %x : tensor<f32>
  // expected-error @below {{is differentiated in straight-line code only: expects to stand in the only block of a function or region}}
  %g = burn.grad(%y) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
^bb2:
  return %x : tensor<f32>
}

// -----

// Tests that a gradient through control flow is an error at the op.

func.func @loop(%x: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  // expected-error @below {{'burn.for' op has no derivative, but a gradient flows through it}}
  %y = burn.for %n to %n step %n (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %c: tensor<f32>):
    %e = burn.exp %c : tensor<f32>
    burn.yield %e : tensor<f32>
  }
  // expected-note @below {{the gradient is taken here}}
  %g = burn.grad(%y) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Tests that a kernel without a decomposition has no gradient.

func.func @kernel(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'burn.custom_kernel' op has no derivative, but a gradient flows through it}}
  %y = burn.custom_kernel "square" version 1 (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{the gradient is taken here}}
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

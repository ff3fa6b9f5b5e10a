// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that ops without operands which break a constraint are refused; functions are named for its code.

func.func @iota_c1() {
  // expected-error@+1 {{'burn.iota' op expects dim within rank 2, got 2}}
  %i = burn.iota {dim = 2} : tensor<2x3xi64>
  return
}

// -----

func.func @iota_c2() {
  // expected-error@+1 {{'burn.iota' op result #0 must be ranked tensor of numbers, but got 'tensor<2xi1>'}}
  %i = burn.iota {dim = 0} : tensor<2xi1>
  return
}

// -----

func.func @undef_dynamic() {
  // expected-error@+1 {{'burn.undef' op expects operands and results of static shape and rank 8 at most}}
  %u = burn.undef : tensor<?xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error@+1 {{'burn.constant' op result #0 must be ranked tensor of numbers or booleans, but got 'tensor<2xi4>'}}
  %c = burn.constant dense<1> : tensor<2xi4>
  return
}

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
  // expected-error@+1 {{'burn.undef' op expects operands and results of static shape, rank 8 at most and less than 2^60 elements}}
  %u = burn.undef : tensor<?xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error@+1 {{'burn.constant' op result #0 must be ranked tensor of numbers or booleans, but got 'tensor<2xi4>'}}
  %c = burn.constant dense<1> : tensor<2xi4>
  return
}

// -----

func.func @constant_rank() {
  // expected-error@+1 {{'burn.constant' op expects operands and results of static shape, rank 8 at most and less than 2^60 elements}}
  %c = burn.constant dense<1.0> : tensor<1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @constant_size() {
  // expected-error@+1 {{'burn.constant' op expects operands and results of static shape, rank 8 at most and less than 2^60 elements}}
  %c = burn.constant dense<1.0> : tensor<1152921504606846976xf32>
  return
}

// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that reductions which break a constraint are refused; functions are named for its code.

func.func @reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.reduce' op expects dims ascending within rank 2, got [1, 0]}}
  %r = burn.reduce sum %x {dims = array<i64: 1, 0>} : tensor<2x3xf32> to tensor<f32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.reduce' op expects booleans or integers, got f32}}
  %r = burn.reduce and %x {dims = array<i64: 0>} : tensor<2x3xf32> to tensor<3xf32>
  return
}

// -----

func.func @reduce_c2_boolean(%x: tensor<2x3xi1>) {
  // expected-error@+1 {{'burn.reduce' op expects numbers, got i1}}
  %r = burn.reduce sum %x {dims = array<i64: 0>} : tensor<2x3xi1> to tensor<3xi1>
  return
}

// -----

func.func @reduce_result(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.reduce' op expects result 0 of type 'tensor<3xf32>', got 'tensor<2xf32>'}}
  %r = burn.reduce sum %x {dims = array<i64: 0>} : tensor<2x3xf32> to tensor<2xf32>
  return
}

// -----

func.func @arg_reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.arg_reduce' op expects axis within rank 2, got 2}}
  %v, %i = burn.arg_reduce max %x {axis = 2} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<2x0xf32>) {
  // expected-error@+1 {{'burn.arg_reduce' op an empty dimension has no extremum: dimension 1 of [2, 0]}}
  %v, %i = burn.arg_reduce max %x {axis = 1} : tensor<2x0xf32> to tensor<2xf32>, tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_index(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.arg_reduce' op expects result 1 of type 'tensor<2xi64>', got 'tensor<2xi32>'}}
  %v, %i = burn.arg_reduce max %x {axis = 1} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi32>
  return
}

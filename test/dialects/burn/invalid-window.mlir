// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that window reductions which break a constraint are refused; functions are named for its code.

func.func @reduce_window_c1(%x: tensor<6xf32>) {
  // expected-error@+1 {{'burn.reduce_window' op expects window to have 1 entries, got 2}}
  %r = burn.reduce_window sum %x {window = array<i64: 2, 2>, strides = array<i64: 2>, pad_low = array<i64: 0>,
      pad_high = array<i64: 0>, base_dilation = array<i64: 1>, window_dilation = array<i64: 1>} : tensor<6xf32> to tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c2(%x: tensor<6xf32>) {
  // expected-error@+1 {{'burn.reduce_window' op expects windows, strides and dilations from 1 to 2^40, got 0 in dimension 0}}
  %r = burn.reduce_window sum %x {window = array<i64: 2>, strides = array<i64: 0>, pad_low = array<i64: 0>,
      pad_high = array<i64: 0>, base_dilation = array<i64: 1>, window_dilation = array<i64: 1>} : tensor<6xf32> to tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c3(%x: tensor<6xf32>) {
  // expected-error@+1 {{'burn.reduce_window' op padding removes more than dimension 0 of [6] has}}
  %r = burn.reduce_window sum %x {window = array<i64: 2>, strides = array<i64: 2>, pad_low = array<i64: -7>,
      pad_high = array<i64: 0>, base_dilation = array<i64: 1>, window_dilation = array<i64: 1>} : tensor<6xf32> to tensor<0xf32>
  return
}

// -----

func.func @reduce_window_c4(%x: tensor<6xf32>) {
  // expected-error@+1 {{'burn.reduce_window' op expects booleans or integers, got f32}}
  %r = burn.reduce_window or %x {window = array<i64: 2>, strides = array<i64: 2>, pad_low = array<i64: 0>,
      pad_high = array<i64: 0>, base_dilation = array<i64: 1>, window_dilation = array<i64: 1>} : tensor<6xf32> to tensor<3xf32>
  return
}

// -----

func.func @arg_reduce_window_c1(%x: tensor<3x6xf32>) {
  // expected-error@+1 {{'burn.arg_reduce_window' op expects pad_low to have 2 entries, got 1}}
  %v, %i = burn.arg_reduce_window max %x {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0>,
      pad_high = array<i64: 0, 0>, window_dilation = array<i64: 1, 1>, index_dims = array<i64: 1>} : tensor<3x6xf32> to tensor<3x3xf32>, tensor<3x3xi64>
  return
}

// -----

func.func @arg_reduce_window_c2(%x: tensor<3x6xf32>) {
  // expected-error@+1 {{'burn.arg_reduce_window' op expects windows, strides and dilations from 1 to 2^40, got 0 in dimension 1}}
  %v, %i = burn.arg_reduce_window max %x {window = array<i64: 1, 0>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, 0>, window_dilation = array<i64: 1, 1>, index_dims = array<i64: 1>} : tensor<3x6xf32> to tensor<3x3xf32>, tensor<3x3xi64>
  return
}

// -----

func.func @arg_reduce_window_c3(%x: tensor<3x6xf32>) {
  // expected-error@+1 {{'burn.arg_reduce_window' op padding removes more than dimension 1 of [3, 6] has}}
  %v, %i = burn.arg_reduce_window max %x {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, -7>, window_dilation = array<i64: 1, 1>, index_dims = array<i64: 1>} : tensor<3x6xf32> to tensor<3x0xf32>, tensor<3x0xi64>
  return
}

// -----

func.func @arg_reduce_window_c4(%x: tensor<3x6xf32>) {
  // expected-error@+1 {{'burn.arg_reduce_window' op expects index_dims ascending and holding every windowed dimension, got [0]}}
  %v, %i = burn.arg_reduce_window max %x {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, 0>, window_dilation = array<i64: 1, 1>, index_dims = array<i64: 0>} : tensor<3x6xf32> to tensor<3x3xf32>, tensor<3x3xi64>
  return
}

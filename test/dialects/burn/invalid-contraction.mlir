// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that products and convolutions which break a constraint are refused; functions are named for its code.

func.func @dot_general_c1(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error@+1 {{'burn.dot_general' op expects unique batch and contracted dimensions within rank, got [], [2] and [], [0]}}
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c1_twice(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error@+1 {{'burn.dot_general' op expects unique batch and contracted dimensions within rank, got [1], [1] and [0], [0]}}
  %r = burn.dot_general %a, %b {lhs_batch = array<i64: 1>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf32> to tensor<2xf32>
  return
}

// -----

func.func @dot_general_c2(%a: tensor<4x8xf32>, %b: tensor<7x2xf32>) {
  // expected-error@+1 {{'burn.dot_general' op contracted dimensions differ: [4, 8] dimension 1 and [7, 2] dimension 0}}
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<7x2xf32> to tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c2_number(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error@+1 {{'burn.dot_general' op expects as many batch and contracted dimensions left as right}}
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c2_batch(%a: tensor<3x4xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'burn.dot_general' op batch dimensions differ: [3, 4] and [2, 4]}}
  %r = burn.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>}
      : tensor<3x4xf32>, tensor<2x4xf32> to tensor<3xf32>
  return
}

// -----

func.func @dot_general_c3(%a: tensor<4x8xf32>, %b: tensor<8x2xf64>) {
  // expected-error@+1 {{'burn.dot_general' op expects equal element types, got f32[4, 8] and f64[8, 2]}}
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf64> to tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_result(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error@+1 {{'burn.dot_general' op expects result 0 of type 'tensor<4x2xf32>', got 'tensor<2x4xf32>'}}
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf32> to tensor<2x4xf32>
  return
}

// -----

func.func @conv_c1(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{'burn.conv' op expects operands of one rank >= 2 and dimension lists that are permutations, got [2, 4, 9] [0, 1, 2], [6, 4, 3] [0, 1, 2], [0, 1, 1]}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 1>, strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x4x9xf32>, tensor<6x4x3xf32> to tensor<2x6x7xf32>
  return
}

// -----

func.func @conv_c1_rank(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'burn.conv' op expects operands of one rank >= 2 and dimension lists that are permutations, got [2, 4, 9] [0, 1, 2], [6, 4, 3, 3] [0, 1, 2, 3], [0, 1, 2]}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x4x9xf32>, tensor<6x4x3x3xf32> to tensor<2x6x7xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{'burn.conv' op expects strides and dilations from 1 to 2^40, got 0}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 0>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x4x9xf32>, tensor<6x4x3xf32> to tensor<2x6x7xf32>
  return
}

// -----

func.func @conv_c2_length(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{'burn.conv' op expects strides to have 1 entries, got 2}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 1, 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x4x9xf32>, tensor<6x4x3xf32> to tensor<2x6x7xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<2x4x9xf32>, %w: tensor<6x3x3xf32>) {
  // expected-error@+1 {{'burn.conv' op feature counts do not fit: input [2, 4, 9] has 4 features, kernel [6, 3, 3] takes 3 and gives 6, feature_groups 1, batch_groups 1}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x4x9xf32>, tensor<6x3x3xf32> to tensor<2x6x7xf32>
  return
}

// -----

func.func @conv_c3_groups(%x: tensor<3x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{'burn.conv' op feature counts do not fit: input [3, 4, 9] has 4 features, kernel [6, 4, 3] takes 4 and gives 6, feature_groups 1, batch_groups 2}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 2}
      : tensor<3x4x9xf32>, tensor<6x4x3xf32> to tensor<1x6x7xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error@+1 {{'burn.conv' op expects group counts >= 1, at most one above 1, got feature_groups 2, batch_groups 2}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 2, batch_groups = 2}
      : tensor<2x4x9xf32>, tensor<6x2x3xf32> to tensor<2x6x7xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{'burn.conv' op padding removes more than spatial dimension 0 of [2, 4, 9] has}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 1>, pad_low = array<i64: -10>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x4x9xf32>, tensor<6x4x3xf32> to tensor<2x6x0xf32>
  return
}

// -----

func.func @conv_c6(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf64>) {
  // expected-error@+1 {{'burn.conv' op expects equal element types, got f32[2, 4, 9] and f64[6, 4, 3]}}
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x4x9xf32>, tensor<6x4x3xf64> to tensor<2x6x7xf32>
  return
}

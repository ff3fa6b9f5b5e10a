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

// -----

func.func @pack_panels_c1(%w: tensor<8x2xf32>) -> tensor<64xi8> {
  %p = burn.fused contraction (%w) : (tensor<8x2xf32>) -> tensor<64xi8> {
  ^bb0(%b: tensor<8x2xf32>):
    // expected-error@+1 {{'burn.pack_panels' op expects the result of a burn.dot_general or burn.conv}}
    %q = burn.pack_panels 1 of %b : tensor<8x2xf32> to tensor<64xi8>
    burn.yield %q : tensor<64xi8>
  }
  return %p : tensor<64xi8>
}

// -----

func.func @pack_panels_c2(%w: tensor<8x8xf32>) -> tensor<64xi8> {
  %p = burn.fused contraction (%w) : (tensor<8x8xf32>) -> tensor<64xi8> {
  ^bb0(%b: tensor<8x8xf32>):
    %d = burn.dot_general %b, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
    // expected-error@+1 {{'burn.pack_panels' op expects operand 0 or 1, got 2}}
    %q = burn.pack_panels 2 of %d : tensor<8x8xf32> to tensor<64xi8>
    burn.yield %q : tensor<64xi8>
  }
  return %p : tensor<64xi8>
}

// -----

func.func @pack_panels_c3(%w: tensor<8x8xf32>) -> tensor<8x8xi8> {
  %p = burn.fused contraction (%w) : (tensor<8x8xf32>) -> tensor<8x8xi8> {
  ^bb0(%b: tensor<8x8xf32>):
    %d = burn.dot_general %b, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
    // expected-error@+1 {{'burn.pack_panels' op expects a result that is a tensor of i8 of rank 1, got 'tensor<8x8xi8>'}}
    %q = burn.pack_panels 1 of %d : tensor<8x8xf32> to tensor<8x8xi8>
    burn.yield %q : tensor<8x8xi8>
  }
  return %p : tensor<8x8xi8>
}

// -----

func.func @unpack_panels_c1(%p: tensor<64xui8>) -> tensor<8x2xf32> {
  %w = burn.fused contraction (%p) : (tensor<64xui8>) -> tensor<8x2xf32> {
  ^bb0(%q: tensor<64xui8>):
    // expected-error@+1 {{'burn.unpack_panels' op expects an input that is a tensor of i8 of rank 1, got 'tensor<64xui8>'}}
    %b = burn.unpack_panels %q : tensor<64xui8> to tensor<8x2xf32>
    burn.yield %b : tensor<8x2xf32>
  }
  return %w : tensor<8x2xf32>
}

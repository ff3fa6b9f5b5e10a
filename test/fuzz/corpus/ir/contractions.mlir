func.func @contractions(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %x: tensor<2x1x28x28xf32>,
                        %w: tensor<64x1x3x3xf32>) {
  %dot = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>,
      lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
  %conv = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,
      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>,
      rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x1x28x28xf32>, tensor<64x1x3x3xf32> to tensor<2x64x26x26xf32>
  return
}

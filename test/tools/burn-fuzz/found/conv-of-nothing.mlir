// A convolution whose input has no elements gives zeros, even where it is padded and the kernel holds NaN.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%x: tensor<2x0x12x3xf32> {burn.value = dense<> : tensor<2x0x12x3xf32>},
    %w: tensor<2x3x4x1xf32> {burn.value = dense<0xFFC00000> : tensor<2x3x4x1xf32>}) -> tensor<1x8x3x3xf32> {
  %r = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 2, 2>,
      lhs_dims = array<i64: 3, 0, 1, 2>, out_dims = array<i64: 2, 3, 0, 1>, pad_high = array<i64: 2, 0>,
      pad_low = array<i64: 0, 2>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 1, 0, 3, 2>,
      strides = array<i64: 2, 3>} : tensor<2x0x12x3xf32>, tensor<2x3x4x1xf32> to tensor<1x8x3x3xf32>
  return %r : tensor<1x8x3x3xf32>
}

func.func @reductions(%x: tensor<2x3xf32>, %line: tensor<6xf32>, %lines: tensor<3x6xf32>) {
  %reduce = burn.reduce sum %x {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
  %v, %i = burn.arg_reduce max %x {axis = 1} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi64>
  %window = burn.reduce_window sum %line {window = array<i64: 2>, strides = array<i64: 2>,
      pad_low = array<i64: 0>, pad_high = array<i64: 0>, base_dilation = array<i64: 1>,
      window_dilation = array<i64: 1>} : tensor<6xf32> to tensor<3xf32>
  %wv, %wi = burn.arg_reduce_window max %lines {window = array<i64: 1, 2>, strides = array<i64: 1, 2>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
      window_dilation = array<i64: 1, 1>, index_dims = array<i64: 1>}
      : tensor<3x6xf32> to tensor<3x3xf32>, tensor<3x3xi64>
  return
}

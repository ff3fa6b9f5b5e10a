func.func @categorical(%w: tensor<4x5xf32>, %key: tensor<2xui32>, %counter: tensor<ui64>) {
  %r = burn.categorical %w, %key, %counter {ordinal = 0, samples = 3} : tensor<4x5xf32> to tensor<4x3xi64>
  return
}

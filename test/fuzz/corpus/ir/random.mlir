func.func @random(%x: tensor<4x5xf32>, %key: tensor<2xui32>, %counter: tensor<ui64>, %rate: tensor<f64>) {
  %bits = burn.rng_bits %key, %counter {ordinal = 3} : tensor<4x5xui32>
  %dropout = burn.dropout %x, %key, %counter, %rate {ordinal = 0} : tensor<4x5xf32>
  return
}

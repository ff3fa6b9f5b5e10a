func.func @bernoulli(%p: tensor<4x5xf32>, %key: tensor<2xui32>, %counter: tensor<ui64>) {
  %r = burn.bernoulli %p, %key, %counter {ordinal = 0} : tensor<4x5xf32>
  return
}

func.func @uniform(%key: tensor<2xui32>, %counter: tensor<ui64>) {
  %r = burn.uniform %key, %counter {ordinal = 0} : tensor<4x5xf32>
  return
}

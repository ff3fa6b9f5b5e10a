func.func @normal(%key: tensor<2xui32>, %counter: tensor<ui64>) {
  %r = burn.normal %key, %counter {ordinal = 0} : tensor<4x5xf32>
  return
}

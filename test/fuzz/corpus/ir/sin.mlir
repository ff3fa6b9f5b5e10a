func.func @sin(%x: tensor<4xf32>) {
  %r = burn.sin %x : tensor<4xf32>
  return
}

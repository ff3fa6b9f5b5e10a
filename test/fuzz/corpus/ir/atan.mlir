func.func @atan(%x: tensor<4xf32>) {
  %r = burn.atan %x : tensor<4xf32>
  return
}

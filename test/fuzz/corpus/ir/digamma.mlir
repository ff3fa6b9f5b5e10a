func.func @digamma(%x: tensor<4xf32>) {
  %r = burn.digamma %x : tensor<4xf32>
  return
}

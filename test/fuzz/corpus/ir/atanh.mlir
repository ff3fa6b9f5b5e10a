func.func @atanh(%x: tensor<4xf32>) {
  %r = burn.atanh %x : tensor<4xf32>
  return
}

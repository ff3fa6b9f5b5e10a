func.func @asin(%x: tensor<4xf32>) {
  %r = burn.asin %x : tensor<4xf32>
  return
}

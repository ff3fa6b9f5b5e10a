func.func @sinh(%x: tensor<4xf32>) {
  %r = burn.sinh %x : tensor<4xf32>
  return
}

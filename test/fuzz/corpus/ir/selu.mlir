func.func @selu(%x: tensor<4xf32>) {
  %r = burn.selu %x : tensor<4xf32>
  return
}

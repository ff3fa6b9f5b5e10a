func.func @silu(%x: tensor<4xf32>) {
  %r = burn.silu %x : tensor<4xf32>
  return
}

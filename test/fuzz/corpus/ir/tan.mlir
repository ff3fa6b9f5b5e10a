func.func @tan(%x: tensor<4xf32>) {
  %r = burn.tan %x : tensor<4xf32>
  return
}

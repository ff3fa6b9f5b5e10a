func.func @cos(%x: tensor<4xf32>) {
  %r = burn.cos %x : tensor<4xf32>
  return
}

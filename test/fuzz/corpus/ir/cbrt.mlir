func.func @cbrt(%x: tensor<4xf32>) {
  %r = burn.cbrt %x : tensor<4xf32>
  return
}

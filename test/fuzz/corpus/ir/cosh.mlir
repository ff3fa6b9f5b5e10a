func.func @cosh(%x: tensor<4xf32>) {
  %r = burn.cosh %x : tensor<4xf32>
  return
}

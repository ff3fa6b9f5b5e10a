func.func @asinh(%x: tensor<4xf32>) {
  %r = burn.asinh %x : tensor<4xf32>
  return
}

func.func @powi(%x: tensor<4xf32>) {
  %r = burn.powi %x {exponent = 3} : tensor<4xf32>
  return
}

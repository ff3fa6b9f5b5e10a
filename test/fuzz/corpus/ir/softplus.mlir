func.func @softplus(%x: tensor<4xf32>) {
  %r = burn.softplus %x {beta = 1.0 : f64, threshold = 20.0 : f64} : tensor<4xf32>
  return
}

func.func @leaky_relu(%x: tensor<4xf32>) {
  %r = burn.leaky_relu %x {slope = 0.01 : f64} : tensor<4xf32>
  return
}

func.func @celu(%x: tensor<4xf32>) {
  %r = burn.celu %x {alpha = 1.0 : f64} : tensor<4xf32>
  return
}

func.func @elu(%x: tensor<4xf32>) {
  %r = burn.elu %x {alpha = 1.0 : f64} : tensor<4xf32>
  return
}

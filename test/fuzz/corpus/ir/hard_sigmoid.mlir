func.func @hard_sigmoid(%x: tensor<4xf32>) {
  %r = burn.hard_sigmoid %x {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<4xf32>
  return
}

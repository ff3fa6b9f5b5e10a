func.func @rms_norm(%x: tensor<2x8xf32>, %s: tensor<8xf32>) {
  %y, %r = burn.rms_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>)
  return
}

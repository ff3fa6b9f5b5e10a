func.func @group_norm(%x: tensor<2x4x3xf32>) {
  %y, %m, %r = burn.group_norm %x {groups = 2, epsilon = 1.0e-5 : f64} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

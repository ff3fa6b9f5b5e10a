func.func @shr(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  %r = burn.shr %a, %b : tensor<4xi32>
  return
}

func.func @fmin(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = burn.fmin %a, %b : tensor<4xf32>
  return
}

func.func @hypot(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = burn.hypot %a, %b : tensor<4xf32>
  return
}

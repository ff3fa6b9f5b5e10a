func.func @copysign(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = burn.copysign %a, %b : tensor<4xf32>
  return
}

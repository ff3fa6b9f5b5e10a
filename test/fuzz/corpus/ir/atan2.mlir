func.func @atan2(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = burn.atan2 %a, %b : tensor<4xf32>
  return
}

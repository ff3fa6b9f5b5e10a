func.func @fmax(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = burn.fmax %a, %b : tensor<4xf32>
  return
}

func.func @rem(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = burn.rem floor %a, %b : tensor<4xf32>
  return
}

func.func @linear_scan(%a: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  %r = burn.linear_scan %a, %x {axis = 1, reverse = false} : tensor<2x3xf32>
  return
}

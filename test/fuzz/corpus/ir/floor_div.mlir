func.func @floor_div(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  %r = burn.floor_div %a, %b : tensor<4xi32>
  return
}

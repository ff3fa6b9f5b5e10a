func.func @shl(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  %r = burn.shl %a, %b : tensor<4xi32>
  return
}

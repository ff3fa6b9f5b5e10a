func.func @hard_swish(%x: tensor<4xf32>) {
  %r = burn.hard_swish %x : tensor<4xf32>
  return
}

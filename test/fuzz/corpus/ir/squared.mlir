func.func private @squared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = burn.mul %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

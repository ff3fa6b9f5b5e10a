func.func @acos(%x: tensor<4xf32>) {
  %r = burn.acos %x : tensor<4xf32>
  return
}

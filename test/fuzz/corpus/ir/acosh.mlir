func.func @acosh(%x: tensor<4xf32>) {
  %r = burn.acosh %x : tensor<4xf32>
  return
}

func.func @erfc(%x: tensor<4xf32>) {
  %r = burn.erfc %x : tensor<4xf32>
  return
}

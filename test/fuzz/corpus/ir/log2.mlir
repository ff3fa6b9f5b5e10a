func.func @log2(%x: tensor<4xf32>) {
  %r = burn.log2 %x : tensor<4xf32>
  return
}

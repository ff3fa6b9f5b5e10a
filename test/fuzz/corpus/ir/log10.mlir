func.func @log10(%x: tensor<4xf32>) {
  %r = burn.log10 %x : tensor<4xf32>
  return
}

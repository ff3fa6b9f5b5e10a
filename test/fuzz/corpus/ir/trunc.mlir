func.func @trunc(%x: tensor<4xf32>) {
  %r = burn.trunc %x : tensor<4xf32>
  return
}

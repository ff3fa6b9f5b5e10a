func.func @mish(%x: tensor<4xf32>) {
  %r = burn.mish %x : tensor<4xf32>
  return
}

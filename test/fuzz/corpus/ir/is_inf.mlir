func.func @is_inf(%x: tensor<4xf32>) {
  %r = burn.is_inf %x : tensor<4xf32>
  return
}

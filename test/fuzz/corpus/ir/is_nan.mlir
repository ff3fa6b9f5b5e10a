func.func @is_nan(%x: tensor<4xf32>) {
  %r = burn.is_nan %x : tensor<4xf32>
  return
}

func.func @is_finite(%x: tensor<4xf32>) {
  %r = burn.is_finite %x : tensor<4xf32>
  return
}

func.func @interpolate(%x: tensor<1x2x4xf32>) {
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 8>, scales = array<f64: 2.0>, cubic_coeff = -0.75 : f64} : tensor<1x2x4xf32> to tensor<1x2x8xf32>
  return
}

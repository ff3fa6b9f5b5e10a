func.func @moments(%x: tensor<2x3xf32>) {
  %m, %v = burn.moments %x {dims = array<i64: 1>, correction = 1} : tensor<2x3xf32>
  return
}

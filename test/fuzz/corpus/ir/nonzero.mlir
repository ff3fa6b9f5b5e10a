func.func @nonzero(%x: tensor<2x3xf32>) {
  %i, %n = burn.nonzero %x {max_count = 6} : tensor<2x3xf32> to tensor<6x2xi64>, tensor<i64>
  return
}

func.func @polygamma(%x: tensor<4xf32>) {
  %r = burn.polygamma %x {n = 1} : tensor<4xf32>
  return
}

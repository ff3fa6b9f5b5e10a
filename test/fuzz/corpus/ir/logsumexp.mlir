func.func @logsumexp(%x: tensor<2x3xf32>) {
  %r = burn.logsumexp %x {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
  return
}

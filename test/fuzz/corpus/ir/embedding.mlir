func.func @embedding(%t: tensor<10x8xf32>, %i: tensor<4x3xi64>) {
  %r = burn.embedding %t, %i {padding_idx = -1} : tensor<10x8xf32>, tensor<4x3xi64> to tensor<4x3x8xf32>
  return
}

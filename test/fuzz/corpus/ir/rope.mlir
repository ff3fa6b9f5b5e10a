func.func @rope(%x: tensor<2x4x8xf32>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>) {
  %r = burn.rope %x, %c, %s {interleaved = false} : tensor<2x4x8xf32>, tensor<4x4xf32>
  return
}

func.func @reduce_precision(%x: tensor<4xf32>) {
  %r = burn.reduce_precision %x {type = bf16} : tensor<4xf32>
  return
}

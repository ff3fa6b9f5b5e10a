func.func @bitcast(%x: tensor<4xf32>) {
  %r = burn.bitcast %x : tensor<4xf32> to tensor<4xi32>
  return
}

func.func @popcnt(%x: tensor<4xi32>) {
  %r = burn.popcnt %x : tensor<4xi32>
  return
}

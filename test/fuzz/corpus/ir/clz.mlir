func.func @clz(%x: tensor<4xi32>) {
  %r = burn.clz %x : tensor<4xi32>
  return
}

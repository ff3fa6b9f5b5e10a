func.func @scan(%x: tensor<2x3xf32>) {
  %r = burn.scan sum %x {axis = 1, exclusive = false, reverse = false} : tensor<2x3xf32>
  return
}

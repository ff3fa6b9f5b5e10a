func.func @topk(%x: tensor<2x3xf32>) {
  %v, %i = burn.topk %x {axis = 1, k = 2, largest = true} : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x2xi64>
  return
}

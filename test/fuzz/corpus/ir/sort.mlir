func.func @sort(%x: tensor<2x3xf32>, %j: tensor<2x3xi64>) {
  %v, %i = burn.sort %x, %j {axis = 1, descending = false} : (tensor<2x3xf32>, tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

func.func @constants() {
  %c = burn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = burn.iota {dim = 1} : tensor<2x3xi64>
  %u = burn.undef : tensor<4xi32>
  return
}

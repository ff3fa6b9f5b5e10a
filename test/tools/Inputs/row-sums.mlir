func.func @main() -> tensor<4xf32> {
  %a = burn.iota {dim = 1 : i64} : tensor<4x300xf32>
  %0 = burn.reduce sum %a {dims = array<i64: 1>} : tensor<4x300xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

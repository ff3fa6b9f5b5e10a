func.func @main() -> tensor<3xf32> {
  %a = burn.iota {dim = 0 : i64} : tensor<3xf32>
  %0 = burn.add %a, %a : tensor<3xf32>
  %1 = burn.reduce max %0 {dims = array<i64: 0>} : tensor<3xf32> to tensor<f32>
  %2 = burn.compare eq %1, %1 : tensor<f32>
  %3 = burn.assert "is a number" %2, %0 : tensor<3xf32>
  %4 = burn.print "twice" %3 : tensor<3xf32>
  return %4 : tensor<3xf32>
}

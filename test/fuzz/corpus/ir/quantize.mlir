func.func @quantize(%x: tensor<2x8xf32>, %s: tensor<2x2xf32>) {
  %q = burn.quantize i4 %x, %s {block = array<i64: 1, 4>, saturate = true} : (tensor<2x8xf32>, tensor<2x2xf32>) -> tensor<2x4xui8>
  return
}

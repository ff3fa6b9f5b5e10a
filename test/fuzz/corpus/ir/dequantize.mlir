func.func @dequantize(%q: tensor<2x4xui8>, %s: tensor<2x2xf32>) {
  %x = burn.dequantize i4 %q, %s {block = array<i64: 1, 4>} : (tensor<2x4xui8>, tensor<2x2xf32>) -> tensor<2x8xf32>
  return
}

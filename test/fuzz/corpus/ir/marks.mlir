func.func @marks(%x: tensor<4xf32>, %y: tensor<f32>) {
  %a, %b = burn.barrier %x, %y : tensor<4xf32>, tensor<f32>
  %h = burn.name "hidden" %x : tensor<4xf32>
  return
}

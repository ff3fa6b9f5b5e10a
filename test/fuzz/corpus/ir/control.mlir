func.func @control(%x: tensor<4xf32>, %loss: tensor<f32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %stopped = burn.stop_gradient %x : tensor<4xf32>
  %g = burn.grad(%loss) wrt(%w) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %gc = burn.grad(%x) cotangents(%w) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = burn.fused elementwise (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = burn.add %a, %b : tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

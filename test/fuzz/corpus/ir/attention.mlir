func.func @attention(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>) {
  %o, %lse = burn.attention %q, %k, %v {causal = true, scale = 0.125 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

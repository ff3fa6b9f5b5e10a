// Tests attention with a product of query and key that leaves the range of f32, which scaled by 1/8 it would not: the
// score is infinite.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%q: tensor<1x1x2x2xf32> {burn.value = dense<[[[[2.0e38, 0.0], [1.0, 0.0]]]]> : tensor<1x1x2x2xf32>},
    %k: tensor<1x1x2x2xf32> {burn.value = dense<[[[[2.0, 0.0], [1.0, 0.0]]]]> : tensor<1x1x2x2xf32>},
    %v: tensor<1x1x2x1xf32> {burn.value = dense<[[[[1.0], [3.0]]]]> : tensor<1x1x2x1xf32>})
    -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>) {
  %r, %lse = burn.attention %q, %k, %v {causal = false, scale = 0.125 : f64, softcap = 0.0 : f64}
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  return %r, %lse : tensor<1x1x2x1xf32>, tensor<1x1x2xf32>
}

// Tests norms of numbers that are multiples of the least one: their mean is off by up to half of it, which 1 / sqrt(1e-5)
// makes 158 of them.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%x: tensor<1x3x3xf32> {burn.value = dense<[[[0x00000034, 0x0000004E, 0x0000003D], [0x00000068, 0x0000008D, 0x00000057], [0x00000025, 0x0000002E, 0x00000010]]]> : tensor<1x3x3xf32>},
    %scale: tensor<3xf32> {burn.value = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>},
    %least: tensor<3xf32> {burn.value = dense<0x00000001> : tensor<3xf32>})
    -> (tensor<1x3x3xf32>, tensor<1x3x3xf32>, tensor<1x3x3xf32>, tensor<1x3x3xf32>) {
  %g, %gm, %gr = burn.group_norm %x, %scale {epsilon = 1.0e-5 : f64, groups = 1 : i64}
      : (tensor<1x3x3xf32>, tensor<3xf32>) -> (tensor<1x3x3xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
  %l, %lm, %lr = burn.layer_norm %x, %scale {axis = 2 : i64, epsilon = 1.0e-5 : f64}
      : (tensor<1x3x3xf32>, tensor<3xf32>) -> (tensor<1x3x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  %b, %bm, %bv = burn.batch_norm %x, %scale, %least {epsilon = 1.0e-5 : f64, feature_dim = 1 : i64}
      : tensor<1x3x3xf32>, tensor<3xf32>
  %s, %sm, %sv = burn.batch_norm %x, %least, %least {epsilon = 1.0e-5 : f64, feature_dim = 1 : i64}
      : tensor<1x3x3xf32>, tensor<3xf32>
  return %g, %l, %b, %s : tensor<1x3x3xf32>, tensor<1x3x3xf32>, tensor<1x3x3xf32>, tensor<1x3x3xf32>
}

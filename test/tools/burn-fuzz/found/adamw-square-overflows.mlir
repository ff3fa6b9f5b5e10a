// Tests a gradient whose square leaves the range of f32: the average of squares is infinite, and the step is 0.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%p: tensor<2xf32> {burn.value = dense<[0.5, 0.5]> : tensor<2xf32>},
    %g: tensor<2xf32> {burn.value = dense<[1.0e20, 1.0]> : tensor<2xf32>},
    %m: tensor<2xf32> {burn.value = dense<[0.25, 0.25]> : tensor<2xf32>},
    %v: tensor<2xf32> {burn.value = dense<[1.0, 1.0]> : tensor<2xf32>},
    %s: tensor<f64> {burn.scalar, burn.value = dense<1.0e-3> : tensor<f64>},
    %c: tensor<f64> {burn.scalar, burn.value = dense<1.25> : tensor<f64>},
    %d: tensor<f64> {burn.scalar, burn.value = dense<1.0e-5> : tensor<f64>})
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %q, %n, %w = burn.adamw_update %p, %g, %m, %v, %s, %c, %d
      {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<2xf32>
  return %q, %n, %w : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

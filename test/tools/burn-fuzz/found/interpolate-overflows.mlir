// Tests cubic interpolation of the greatest numbers: 9/8 of them, which a first dimension makes, is infinite, and its
// product with the weight 0 of a neighbour along the second NaN.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%x: tensor<2x4xf32> {burn.value = dense<[[1.0, 2.0, 0xFF7FFFFF, 3.0], [-1.0, 4.0, 0x7F7FFFFF, 5.0]]>
    : tensor<2x4xf32>}) -> tensor<4x4xf32> {
  %y = burn.interpolate cubic asymmetric floor %x {cubic_coeff = -0.5 : f64, scales = array<f64: 2.0, 1.0>,
      sizes = array<i64: 4, 4>} : tensor<2x4xf32> to tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// Tests polygamma of even order in the middle between two poles, where the poles on both sides cancel and what is left is
// 4! zeta(5, 1 - x), 1.2e-27 at the last one.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%x: tensor<3xf32> {burn.value = dense<[-2.5, -20.5, -8388607.5]> : tensor<3xf32>},
    %y: tensor<3xf64> {burn.value = dense<[-2.5, -20.5, -8388607.5]> : tensor<3xf64>}) -> (tensor<3xf32>, tensor<3xf64>) {
  %a = burn.polygamma %x {n = 4 : i64} : tensor<3xf32>
  %b = burn.polygamma %y {n = 4 : i64} : tensor<3xf64>
  return %a, %b : tensor<3xf32>, tensor<3xf64>
}

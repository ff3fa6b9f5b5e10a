// Equal numbers next to the largest: the sum overflows, and with it the mean and the squares around it.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%x: tensor<2x4xf32> {burn.value = dense<[[3.4028235e+38, 3.4028235e+38, 3.4028235e+38, 3.4028235e+38],
    [1.0, 2.0, 3.0, 4.0]]> : tensor<2x4xf32>}) -> (tensor<2xf32>, tensor<2xf32>) {
  %mean, %variance = burn.moments %x {correction = 1 : i64, dims = array<i64: 1>} : tensor<2x4xf32>
  return %mean, %variance : tensor<2xf32>, tensor<2xf32>
}

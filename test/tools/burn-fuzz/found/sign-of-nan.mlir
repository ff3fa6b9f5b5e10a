// The sign of a NaN depends on how it came about, so copysign takes every NaN as positive.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%x: tensor<4xf32> {burn.value = dense<[1.0, -2.0, 3.0, -4.0]> : tensor<4xf32>},
    %y: tensor<4xf32> {burn.value = dense<[-1.0, 0xFFC00000, 0x7FC00000, 0.0]> : tensor<4xf32>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %root = burn.sqrt %x : tensor<4xf32>
  %a = burn.copysign %x, %root : tensor<4xf32>
  %b = burn.copysign %x, %y : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Tests a linear scan with a product that is subnormal and then grows again: what it lost grows with it. Likewise sums
// of subnormal products.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%f: tensor<3xf32> {burn.value = dense<[1.0, 0.3, 1.0e30]> : tensor<3xf32>},
    %x: tensor<3xf32> {burn.value = dense<[0x00000003, 0.0, 0.0]> : tensor<3xf32>},
    %a: tensor<1x4xf32> {burn.value = dense<1.0e-23> : tensor<1x4xf32>},
    %b: tensor<4x1xf32> {burn.value = dense<7.5e-23> : tensor<4x1xf32>}) -> (tensor<3xf32>, tensor<1x1xf32>) {
  %y = burn.linear_scan %f, %x {axis = 0 : i64, reverse = false} : tensor<3xf32>
  %d = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<1x4xf32>, tensor<4x1xf32> to tensor<1x1xf32>
  return %y, %d : tensor<3xf32>, tensor<1x1xf32>
}

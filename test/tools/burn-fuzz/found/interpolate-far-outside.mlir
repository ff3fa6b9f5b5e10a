// Tests places far outside of i64, of dimensions with a table of neighbours and of those that compute them: all are the
// edge element.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s

func.func @main(%x: tensor<4xf64> {burn.value = dense<[7.0, 1.0, 2.0, 3.0]> : tensor<4xf64>}) -> (tensor<16383xf64>, tensor<16385xf64>, tensor<16385xf64>) {
  %a = burn.interpolate linear asymmetric floor %x {sizes = array<i64: 16383>, scales = array<f64: 1.0e-18>,
      cubic_coeff = -0.75 : f64} : tensor<4xf64> to tensor<16383xf64>
  %b = burn.interpolate linear asymmetric floor %x {sizes = array<i64: 16385>, scales = array<f64: 1.0e-18>,
      cubic_coeff = -0.75 : f64} : tensor<4xf64> to tensor<16385xf64>
  %c = burn.interpolate cubic half_pixel_symmetric floor %x {sizes = array<i64: 16385>, scales = array<f64: 1.0e-320>,
      cubic_coeff = -0.75 : f64} : tensor<4xf64> to tensor<16385xf64>
  return %a, %b, %c : tensor<16383xf64>, tensor<16385xf64>, tensor<16385xf64>
}

// A quotient that is rounded up makes a product beyond the range where the product and the sum of a fused multiply-add are
// taken one by one; the magnitude of the least integer is no signed number.

// REQUIRES: vulkan
// RUN: burn-fuzz --device vulkan %s

func.func @main(%x: tensor<6xf32> {burn.value = dense<[3.40282347e+38, -3.40282347e+38, 3.0e+38, 1.0e-45, 3.40282347e+38, 5.0]> : tensor<6xf32>},
                %y: tensor<6xf32> {burn.value = dense<[-1.20254529, 1.20254529, 1.0e-45, 3.0e-45, 3.40282347e+38, 5.0]> : tensor<6xf32>},
                %i: tensor<4xi32> {burn.value = dense<[-2147483648, -2147483648, -2147483648, 7]> : tensor<4xi32>},
                %j: tensor<4xi32> {burn.value = dense<[9, -9, -2147483648, -2147483648]> : tensor<4xi32>})
    -> (tensor<6xf32>, tensor<6xf32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = burn.rem trunc %x, %y : tensor<6xf32>
  %1 = burn.rem floor %x, %y : tensor<6xf32>
  %2 = burn.rem trunc %i, %j : tensor<4xi32>
  %3 = burn.rem floor %i, %j : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<6xf32>, tensor<4xi32>, tensor<4xi32>
}

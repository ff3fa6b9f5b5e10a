// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.interpolate adds weighted cotangents to the elements that were read.

// CHECK-LABEL: func.func @interpolate(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x2xf32>, %[[G:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK:       %[[INTERPOLATE:.+]] = burn.interpolate linear half_pixel floor %[[X]] {cubic_coeff = -7.500000e-01 : f64, scales = array<f64: 2.000000e+00>, sizes = array<i64: 4>} : tensor<2x2xf32> to tensor<2x4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<[0, 0, 0, 1]> : tensor<4xi64>
// CHECK-NEXT:  %[[C_4:.+]] = burn.constant dense<[0, 1, 1, 1]> : tensor<4xi64>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<[2.500000e-01, 7.500000e-01, 2.500000e-01, 7.500000e-01]> : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<[7.500000e-01, 2.500000e-01, 7.500000e-01, 2.500000e-01]> : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0.000000e+00> : tensor<2x2xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[C_1]] {dims = array<i64: 1>} : tensor<4xf32> to tensor<2x4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[BROADCAST]] : tensor<2x4xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add assume_valid %[[C]], %[[C_2]], %[[MUL]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64: 0>} : tensor<2x2xf32>, tensor<4xi64>, tensor<2x4xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[C_3]] {dims = array<i64: 1>} : tensor<4xf32> to tensor<2x4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[BROADCAST_1]] : tensor<2x4xf32>
// CHECK-NEXT:  %[[SCATTER_1:.+]] = burn.scatter add assume_valid %[[SCATTER]], %[[C_4]], %[[MUL_1]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64: 0>} : tensor<2x2xf32>, tensor<4xi64>, tensor<2x4xf32>
// CHECK-NEXT:  return %[[SCATTER_1]] : tensor<2x2xf32>
func.func @interpolate(%x: tensor<2x2xf32>, %g: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %y = burn.interpolate linear half_pixel floor %x {sizes = array<i64: 4>, scales = array<f64: 2.0>, cubic_coeff = -0.75 : f64}
      : tensor<2x2xf32> to tensor<2x4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

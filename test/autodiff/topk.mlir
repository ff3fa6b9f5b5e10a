// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.topk returns cotangents to where the elements came from.

// CHECK-LABEL: func.func @topk(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK:       %[[VALUES:.+]], %[[INDICES:.+]] = burn.topk %[[X]] {axis = 1 : i64, k = 2 : i64, largest = true} : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x2xi64>
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add assume_valid %[[CONSTANT]], %[[INDICES]], %[[G]] {index_vector_dim = 2 : i64, input_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64: 0>, update_window_dims = array<i64>} : tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x2xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<2x3xf32>
func.func @topk(%x: tensor<2x3xf32>, %g: tensor<2x2xf32>) -> tensor<2x3xf32> {
  %y, %j = burn.topk %x {axis = 1, k = 2, largest = true} : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x2xi64>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

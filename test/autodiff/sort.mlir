// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.sort returns cotangents to where the elements came from, and uses the places that are
// sorted along, if any.

// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[IOTA:.+]] = burn.iota {dim = 1 : i64} : tensor<2x3xi64>
// CHECK-NEXT:  %[[SORT:.+]]:2 = burn.sort %[[X]], %[[IOTA]] {axis = 1 : i64, descending = false} : (tensor<2x3xf32>, tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add assume_valid %[[CONSTANT]], %[[SORT]]#1, %[[G]] {index_vector_dim = 2 : i64, input_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64: 0>, update_window_dims = array<i64>} : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<2x3xf32>
func.func @sort(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %i = burn.iota {dim = 1} : tensor<2x3xi64>
  %y, %j = burn.sort %x, %i {axis = 1, descending = false} : (tensor<2x3xf32>, tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sort_alone(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[SORT:.+]] = burn.sort %[[X]] {axis = 1 : i64, descending = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 1 : i64} : tensor<2x3xi64>
// CHECK-NEXT:  %[[SORT_1:.+]]:2 = burn.sort %[[X]], %[[IOTA]] {axis = 1 : i64, descending = true} : (tensor<2x3xf32>, tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add assume_valid %[[CONSTANT]], %[[SORT_1]]#1, %[[G]] {index_vector_dim = 2 : i64, input_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64: 0>, update_window_dims = array<i64>} : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<2x3xf32>
func.func @sort_alone(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = burn.sort %x {axis = 1, descending = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

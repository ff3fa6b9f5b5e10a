// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.embedding adds cotangents to the rows they were read from, but the padding row.

// CHECK-LABEL: func.func @embedding(
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<10x8xf32>, %[[I:[a-z0-9]+]]: tensor<4x3xi64>, %[[G:[a-z0-9]+]]: tensor<4x3x8xf32>
// CHECK:       %[[EMBEDDING:.+]] = burn.embedding %[[T]], %[[I]] {padding_idx = 2 : i64} : tensor<10x8xf32>, tensor<4x3xi64> to tensor<4x3x8xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<2> : tensor<4x3xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare ne %[[I]], %[[C]] : tensor<4x3xi64>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[COMPARE]] {dims = array<i64: 0, 1>} : tensor<4x3xi1> to tensor<4x3x8xi1>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<0.000000e+00> : tensor<4x3x8xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[BROADCAST]], %[[G]], %[[C_1]] : tensor<4x3x8xi1>, tensor<4x3x8xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0.000000e+00> : tensor<10x8xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add check %[[C_2]], %[[I]], %[[SELECT]] {index_vector_dim = 2 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64: 2>} : tensor<10x8xf32>, tensor<4x3xi64>, tensor<4x3x8xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<10x8xf32>
func.func @embedding(%t: tensor<10x8xf32>, %i: tensor<4x3xi64>, %g: tensor<4x3x8xf32>) -> tensor<10x8xf32> {
  %y = burn.embedding %t, %i {padding_idx = 2} : tensor<10x8xf32>, tensor<4x3xi64> to tensor<4x3x8xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%t)
      : (tensor<4x3x8xf32>, tensor<4x3x8xf32>, tensor<10x8xf32>) -> tensor<10x8xf32>
  return %r : tensor<10x8xf32>
}

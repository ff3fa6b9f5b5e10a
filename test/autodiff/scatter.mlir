// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.scatter gives the operand what is left of it and each update what it gave.

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<9xf32>, %[[I:[a-z0-9]+]]: tensor<3xi64>, %[[U:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<9xf32>
// CHECK:       %[[Y:.+]] = burn.scatter add check %[[X]], %[[I]], %[[U]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
// CHECK-NEXT:  %[[GATHER:.+]] = burn.gather check %[[G]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xf32>, tensor<3xi64> to tensor<3xf32>
// CHECK-NEXT:  return %[[G]], %[[GATHER]] : tensor<9xf32>, tensor<3xf32>
func.func @add(%x: tensor<9xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>, %g: tensor<9xf32>)
    -> (tensor<9xf32>, tensor<3xf32>) {
  %y = burn.scatter add check %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %u)
      : (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<3xf32>) -> (tensor<9xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<9xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @assign(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<9xf32>, %[[I:[a-z0-9]+]]: tensor<3xi64>, %[[U:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<9xf32>
// CHECK:       %[[Y:.+]] = burn.scatter assign check %[[X]], %[[I]], %[[U]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter assign check %[[G]], %[[I]], %[[ZERO]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 0 : i64} : tensor<3xi64>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<-1> : tensor<9xi64>
// CHECK-NEXT:  %[[SCATTER_1:.+]] = burn.scatter assign check %[[C]], %[[I]], %[[IOTA]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xi64>, tensor<3xi64>, tensor<3xi64>
// CHECK-NEXT:  %[[GATHER:.+]] = burn.gather check %[[SCATTER_1]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xi64>, tensor<3xi64> to tensor<3xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[GATHER]], %[[IOTA]] : tensor<3xi64>
// CHECK-NEXT:  %[[GATHER_1:.+]] = burn.gather check %[[G]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xf32>, tensor<3xi64> to tensor<3xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[GATHER_1]], %[[ZERO]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT:  return %[[SCATTER]], %[[SELECT]] : tensor<9xf32>, tensor<3xf32>
func.func @assign(%x: tensor<9xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>, %g: tensor<9xf32>)
    -> (tensor<9xf32>, tensor<3xf32>) {
  %y = burn.scatter assign check %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %u)
      : (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<3xf32>) -> (tensor<9xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<9xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @mul(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<9xf32>, %[[I:[a-z0-9]+]]: tensor<3xi64>, %[[U:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<9xf32>
// CHECK:       %[[Y:.+]] = burn.scatter mul check %[[X]], %[[I]], %[[U]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<3xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter mul check %[[G]], %[[I]], %[[U]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[U]], %[[ZERO]] : tensor<3xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[ONE]], %[[U]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT:  %[[CONVERT:.+]] = burn.convert %[[COMPARE]] : tensor<3xi1> to tensor<3xi64>
// CHECK-NEXT:  %[[ZERO_1:.+]] = burn.constant dense<0> : tensor<9xi64>
// CHECK-NEXT:  %[[SCATTER_1:.+]] = burn.scatter add check %[[ZERO_1]], %[[I]], %[[CONVERT]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xi64>, tensor<3xi64>, tensor<3xi64>
// CHECK-NEXT:  %[[GATHER:.+]] = burn.gather check %[[SCATTER_1]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xi64>, tensor<3xi64> to tensor<3xi64>
// CHECK-NEXT:  %[[SCATTER_2:.+]] = burn.scatter mul check %[[X]], %[[I]], %[[SELECT]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SCATTER_2]] : tensor<9xf32>
// CHECK-NEXT:  %[[GATHER_1:.+]] = burn.gather check %[[MUL]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xf32>, tensor<3xi64> to tensor<3xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare eq %[[GATHER]], %[[CONVERT]] : tensor<3xi64>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[GATHER_1]], %[[SELECT]] : tensor<3xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[COMPARE_1]], %[[DIV]], %[[ZERO]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT:  return %[[SCATTER]], %[[SELECT_1]] : tensor<9xf32>, tensor<3xf32>
func.func @mul(%x: tensor<9xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>, %g: tensor<9xf32>)
    -> (tensor<9xf32>, tensor<3xf32>) {
  %y = burn.scatter mul check %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %u)
      : (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<3xf32>) -> (tensor<9xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<9xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @max(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<9xf32>, %[[I:[a-z0-9]+]]: tensor<3xi64>, %[[U:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<9xf32>
// CHECK:       %[[Y:.+]] = burn.scatter max check %[[X]], %[[I]], %[[U]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[Y]], %[[X]] : tensor<9xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<9xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[G]], %[[ZERO]] : tensor<9xi1>, tensor<9xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 0 : i64} : tensor<3xi64>
// CHECK-NEXT:  %[[ZERO_1:.+]] = burn.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT:  %[[ZERO_2:.+]] = burn.constant dense<0.000000e+00> : tensor<9xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[COMPARE]], %[[ZERO_2]], %[[G]] : tensor<9xi1>, tensor<9xf32>
// CHECK-NEXT:  %[[GATHER:.+]] = burn.gather check %[[Y]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xf32>, tensor<3xi64> to tensor<3xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare eq %[[GATHER]], %[[U]] : tensor<3xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<3> : tensor<9xi64>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<3> : tensor<3xi64>
// CHECK-NEXT:  %[[SELECT_2:.+]] = burn.select %[[COMPARE_1]], %[[IOTA]], %[[C_1]] : tensor<3xi1>, tensor<3xi64>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter min check %[[C]], %[[I]], %[[SELECT_2]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xi64>, tensor<3xi64>, tensor<3xi64>
// CHECK-NEXT:  %[[GATHER_1:.+]] = burn.gather check %[[SCATTER]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xi64>, tensor<3xi64> to tensor<3xi64>
// CHECK-NEXT:  %[[COMPARE_2:.+]] = burn.compare eq %[[GATHER_1]], %[[IOTA]] : tensor<3xi64>
// CHECK-NEXT:  %[[AND:.+]] = burn.and %[[COMPARE_1]], %[[COMPARE_2]] : tensor<3xi1>
// CHECK-NEXT:  %[[GATHER_2:.+]] = burn.gather check %[[SELECT_1]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xf32>, tensor<3xi64> to tensor<3xf32>
// CHECK-NEXT:  %[[SELECT_3:.+]] = burn.select %[[AND]], %[[GATHER_2]], %[[ZERO_1]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT:  return %[[SELECT]], %[[SELECT_3]] : tensor<9xf32>, tensor<3xf32>
func.func @max(%x: tensor<9xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>, %g: tensor<9xf32>)
    -> (tensor<9xf32>, tensor<3xf32>) {
  %y = burn.scatter max check %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<9xf32>, tensor<3xi64>, tensor<3xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %u)
      : (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<3xf32>) -> (tensor<9xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<9xf32>, tensor<3xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.gather adds into zeros where the slices were read; clipped starts are clipped again.

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<9x4xf32>, %[[I:[a-z0-9]+]]: tensor<3xi64>, %[[G:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK:       %[[Y:.+]] = burn.gather check %[[X]], %[[I]] {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 4>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9x4xf32>, tensor<3xi64> to tensor<3x4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<9x4xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add check %[[ZERO]], %[[I]], %[[G]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64: 1>} : tensor<9x4xf32>, tensor<3xi64>, tensor<3x4xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<9x4xf32>
func.func @gather(%x: tensor<9x4xf32>, %i: tensor<3xi64>, %g: tensor<3x4xf32>)
    -> tensor<9x4xf32> {
  %y = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} : tensor<9x4xf32>, tensor<3xi64> to tensor<3x4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// CHECK-LABEL: func.func @clip(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<9xf32>, %[[I:[a-z0-9]+]]: tensor<3xui8>, %[[G:[a-z0-9]+]]: tensor<3x2xf32>
// CHECK:       %[[Y:.+]] = burn.gather clip %[[X]], %[[I]] {collapsed_slice_dims = array<i64>, index_vector_dim = 1 : i64, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 2>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>} : tensor<9xf32>, tensor<3xui8> to tensor<3x2xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<9xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<7> : tensor<1xui8>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[C]] : tensor<1xui8> to tensor<ui8>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[RESHAPE]] {dims = array<i64>} : tensor<ui8> to tensor<3xui8>
// CHECK-NEXT:  %[[ZERO_1:.+]] = burn.constant dense<0> : tensor<3xui8>
// CHECK-NEXT:  %[[CLAMP:.+]] = burn.clamp %[[I]], %[[ZERO_1]], %[[BROADCAST]] : tensor<3xui8>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add assume_valid %[[ZERO]], %[[CLAMP]], %[[G]] {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64: 1>} : tensor<9xf32>, tensor<3xui8>, tensor<3x2xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<9xf32>
func.func @clip(%x: tensor<9xf32>, %i: tensor<3xui8>, %g: tensor<3x2xf32>)
    -> tensor<9xf32> {
  %y = burn.gather clip %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 2>} : tensor<9xf32>, tensor<3xui8> to tensor<3x2xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

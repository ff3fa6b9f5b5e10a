// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.scan needs no division, and gives an extremum's cotangents to where it stands.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[SCAN:.+]] = burn.scan sum %[[X]] {axis = 1 : i64, exclusive = false, reverse = false} : tensor<2x3xf32>
// CHECK-NEXT:  %[[SCAN_1:.+]] = burn.scan sum %[[G]] {axis = 1 : i64, exclusive = false, reverse = true} : tensor<2x3xf32>
// CHECK-NEXT:  return %[[SCAN_1]] : tensor<2x3xf32>
func.func @sum(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = burn.scan sum %x {axis = 1, exclusive = false, reverse = false} : tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @prod(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[SCAN:.+]] = burn.scan prod %[[X]] {axis = 1 : i64, exclusive = false, reverse = false} : tensor<2x3xf32>
// CHECK-NEXT:  %[[SCAN_1:.+]] = burn.scan prod %[[X]] {axis = 1 : i64, exclusive = true, reverse = false} : tensor<2x3xf32>
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[X]], %[[CONSTANT]] {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, -1>} : tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[LINEAR_SCAN:.+]] = burn.linear_scan %[[PAD]], %[[G]] {axis = 1 : i64, reverse = true} : tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[SCAN_1]], %[[LINEAR_SCAN]] : tensor<2x3xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<2x3xf32>
func.func @prod(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = burn.scan prod %x {axis = 1, exclusive = false, reverse = false} : tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @prod_exclusive(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[SCAN:.+]] = burn.scan prod %[[X]] {axis = 1 : i64, exclusive = true, reverse = true} : tensor<2x3xf32>
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[G]], %[[CONSTANT]] {high = array<i64: 0, -1>, interior = array<i64: 0, 0>, low = array<i64: 0, 1>} : tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[CONSTANT_1:.+]] = burn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD_1:.+]] = burn.pad %[[X]], %[[CONSTANT_1]] {high = array<i64: 0, -1>, interior = array<i64: 0, 0>, low = array<i64: 0, 1>} : tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[LINEAR_SCAN:.+]] = burn.linear_scan %[[PAD_1]], %[[PAD]] {axis = 1 : i64, reverse = false} : tensor<2x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[SCAN]], %[[LINEAR_SCAN]] : tensor<2x3xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<2x3xf32>
func.func @prod_exclusive(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = burn.scan prod %x {axis = 1, exclusive = true, reverse = true} : tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @max(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[SCAN:.+]] = burn.scan max %[[X]] {axis = 1 : i64, exclusive = false, reverse = false} : tensor<2x3xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 1 : i64} : tensor<2x3xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare ne %[[X]], %[[X]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare eq %[[X]], %[[SCAN]] : tensor<2x3xf32>
// CHECK-NEXT:  %[[OR:.+]] = burn.or %[[COMPARE_1]], %[[COMPARE]] : tensor<2x3xi1>
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<0> : tensor<2x3xi64>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[OR]], %[[IOTA]], %[[CONSTANT]] : tensor<2x3xi1>, tensor<2x3xi64>
// CHECK-NEXT:  %[[SCAN_1:.+]] = burn.scan max %[[SELECT]] {axis = 1 : i64, exclusive = false, reverse = false} : tensor<2x3xi64>
// CHECK-NEXT:  %[[CONSTANT_1:.+]] = burn.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:  %[[SCATTER:.+]] = burn.scatter add assume_valid %[[CONSTANT_1]], %[[SCAN_1]], %[[G]] {index_vector_dim = 2 : i64, input_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64: 0>, update_window_dims = array<i64>} : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
// CHECK-NEXT:  return %[[SCATTER]] : tensor<2x3xf32>
func.func @max(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = burn.scan max %x {axis = 1, exclusive = false, reverse = false} : tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

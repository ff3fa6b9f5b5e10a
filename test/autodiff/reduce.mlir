// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.reduce repeats for a sum, gives an extremum to its first element, and multiplies the
// other elements for a product.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[G:[a-z0-9]+]]: tensor<3xf32>
// CHECK:       %[[Y:.+]] = burn.reduce sum %[[X]] {dims = array<i64: 0, 2>} : tensor<2x3x4xf32> to tensor<3xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[G]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<2x3x4xf32>
// CHECK-NEXT:  return %[[BROADCAST]] : tensor<2x3x4xf32>
func.func @sum(%x: tensor<2x3x4xf32>, %g: tensor<3xf32>)
    -> tensor<2x3x4xf32> {
  %y = burn.reduce sum %x {dims = array<i64: 0, 2>} : tensor<2x3x4xf32> to tensor<3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @max(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[G:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK:       %[[Y:.+]] = burn.reduce max %[[X]] {dims = array<i64: 1>} : tensor<2x3x4xf32> to tensor<2x4xf32>
// CHECK-NEXT:  %[[TRANSPOSE:.+]] = burn.transpose %[[X]] {perm = array<i64: 0, 2, 1>} : tensor<2x3x4xf32> to tensor<2x4x3xf32>
// CHECK-NEXT:  %[[ARG_REDUCE_VALUE:.+]], %[[ARG_REDUCE_INDEX:.+]] = burn.arg_reduce max %[[TRANSPOSE]] {axis = 2 : i64} : tensor<2x4x3xf32> to tensor<2x4xf32>, tensor<2x4xi64>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[G]] {dims = array<i64: 0, 1>} : tensor<2x4xf32> to tensor<2x4x3xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 2 : i64} : tensor<2x4x3xi64>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[ARG_REDUCE_INDEX]] {dims = array<i64: 0, 1>} : tensor<2x4xi64> to tensor<2x4x3xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[IOTA]], %[[BROADCAST_1]] : tensor<2x4x3xi64>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<2x4x3xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[BROADCAST]], %[[ZERO]] : tensor<2x4x3xi1>, tensor<2x4x3xf32>
// CHECK-NEXT:  %[[TRANSPOSE_1:.+]] = burn.transpose %[[SELECT]] {perm = array<i64: 0, 2, 1>} : tensor<2x4x3xf32> to tensor<2x3x4xf32>
// CHECK-NEXT:  return %[[TRANSPOSE_1]] : tensor<2x3x4xf32>
func.func @max(%x: tensor<2x3x4xf32>, %g: tensor<2x4xf32>)
    -> tensor<2x3x4xf32> {
  %y = burn.reduce max %x {dims = array<i64: 1>} : tensor<2x3x4xf32> to tensor<2x4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @min(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[G:[a-z0-9]+]]: tensor<3xf32>
// CHECK:       %[[Y:.+]] = burn.reduce min %[[X]] {dims = array<i64: 0, 2>} : tensor<2x3x4xf32> to tensor<3xf32>
// CHECK-NEXT:  %[[TRANSPOSE:.+]] = burn.transpose %[[X]] {perm = array<i64: 1, 0, 2>} : tensor<2x3x4xf32> to tensor<3x2x4xf32>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[TRANSPOSE]] : tensor<3x2x4xf32> to tensor<3x8xf32>
// CHECK-NEXT:  %[[ARG_REDUCE_VALUE:.+]], %[[ARG_REDUCE_INDEX:.+]] = burn.arg_reduce min %[[RESHAPE]] {axis = 1 : i64} : tensor<3x8xf32> to tensor<3xf32>, tensor<3xi64>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[G]] {dims = array<i64: 0>} : tensor<3xf32> to tensor<3x8xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 1 : i64} : tensor<3x8xi64>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[ARG_REDUCE_INDEX]] {dims = array<i64: 0>} : tensor<3xi64> to tensor<3x8xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[IOTA]], %[[BROADCAST_1]] : tensor<3x8xi64>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<3x8xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[BROADCAST]], %[[ZERO]] : tensor<3x8xi1>, tensor<3x8xf32>
// CHECK-NEXT:  %[[RESHAPE_1:.+]] = burn.reshape %[[SELECT]] : tensor<3x8xf32> to tensor<3x2x4xf32>
// CHECK-NEXT:  %[[TRANSPOSE_1:.+]] = burn.transpose %[[RESHAPE_1]] {perm = array<i64: 1, 0, 2>} : tensor<3x2x4xf32> to tensor<2x3x4xf32>
// CHECK-NEXT:  return %[[TRANSPOSE_1]] : tensor<2x3x4xf32>
func.func @min(%x: tensor<2x3x4xf32>, %g: tensor<3xf32>)
    -> tensor<2x3x4xf32> {
  %y = burn.reduce min %x {dims = array<i64: 0, 2>} : tensor<2x3x4xf32> to tensor<3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @prod(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[G:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:       %[[Y:.+]] = burn.reduce prod %[[X]] {dims = array<i64: 2>} : tensor<2x3x4xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[G]] {dims = array<i64: 0, 1>} : tensor<2x3xf32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[PAD:.+]] = burn.pad %[[X]], %[[ONE]] {high = array<i64: 0, 0, -1>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 1>} : tensor<2x3x4xf32>, tensor<f32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[PAD_1:.+]] = burn.pad %[[PAD]], %[[ONE]] {high = array<i64: 0, 0, -1>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 1>} : tensor<2x3x4xf32>, tensor<f32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[PAD]], %[[PAD_1]] : tensor<2x3x4xf32>
// CHECK-NEXT:  %[[PAD_2:.+]] = burn.pad %[[MUL]], %[[ONE]] {high = array<i64: 0, 0, -2>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 2>} : tensor<2x3x4xf32>, tensor<f32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[MUL]], %[[PAD_2]] : tensor<2x3x4xf32>
// CHECK-NEXT:  %[[PAD_3:.+]] = burn.pad %[[X]], %[[ONE]] {high = array<i64: 0, 0, 1>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, -1>} : tensor<2x3x4xf32>, tensor<f32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[PAD_4:.+]] = burn.pad %[[PAD_3]], %[[ONE]] {high = array<i64: 0, 0, 1>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, -1>} : tensor<2x3x4xf32>, tensor<f32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[PAD_3]], %[[PAD_4]] : tensor<2x3x4xf32>
// CHECK-NEXT:  %[[PAD_5:.+]] = burn.pad %[[MUL_2]], %[[ONE]] {high = array<i64: 0, 0, 2>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, -2>} : tensor<2x3x4xf32>, tensor<f32> to tensor<2x3x4xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL_2]], %[[PAD_5]] : tensor<2x3x4xf32>
// CHECK-NEXT:  %[[MUL_4:.+]] = burn.mul %[[MUL_1]], %[[MUL_3]] : tensor<2x3x4xf32>
// CHECK-NEXT:  %[[MUL_5:.+]] = burn.mul %[[BROADCAST]], %[[MUL_4]] : tensor<2x3x4xf32>
// CHECK-NEXT:  return %[[MUL_5]] : tensor<2x3x4xf32>
func.func @prod(%x: tensor<2x3x4xf32>, %g: tensor<2x3xf32>)
    -> tensor<2x3x4xf32> {
  %y = burn.reduce prod %x {dims = array<i64: 2>} : tensor<2x3x4xf32> to tensor<2x3xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.layer_norm is built from its mean and rstd, which it does not compute again.

// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x8xf32>, %[[S:[a-z0-9]+]]: tensor<8xf32>, %[[B:[a-z0-9]+]]: tensor<8xf32>, %[[G:[a-z0-9]+]]: tensor<2x8xf32>
// CHECK:       %[[LAYER_NORM:.+]], %[[LAYER_NORM_1:.+]], %[[LAYER_NORM_2:.+]] = burn.layer_norm %[[X]], %[[S]], %[[B]] {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[LAYER_NORM_1]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[X]], %[[BROADCAST]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[LAYER_NORM_2]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[SUB]], %[[BROADCAST_1]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[MUL]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[MUL_1]] {dims = array<i64: 0>} : tensor<2x8xf32> to tensor<8xf32>
// CHECK-NEXT:  %[[REDUCE_1:.+]] = burn.reduce sum %[[G]] {dims = array<i64: 0>} : tensor<2x8xf32> to tensor<8xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[S]] {dims = array<i64: 1>} : tensor<8xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[G]], %[[BROADCAST_2]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL_2]], %[[MUL]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[REDUCE_2:.+]] = burn.reduce sum %[[MUL_3]] {dims = array<i64: 1>} : tensor<2x8xf32> to tensor<2xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<1.250000e-01> : tensor<2xf32>
// CHECK-NEXT:  %[[MUL_4:.+]] = burn.mul %[[REDUCE_2]], %[[C]] : tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST_3:.+]] = burn.broadcast %[[MUL_4]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_5:.+]] = burn.mul %[[MUL]], %[[BROADCAST_3]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[SUB_1:.+]] = burn.sub %[[MUL_2]], %[[MUL_5]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[REDUCE_3:.+]] = burn.reduce sum %[[MUL_2]] {dims = array<i64: 1>} : tensor<2x8xf32> to tensor<2xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.250000e-01> : tensor<2xf32>
// CHECK-NEXT:  %[[MUL_6:.+]] = burn.mul %[[REDUCE_3]], %[[C_1]] : tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST_4:.+]] = burn.broadcast %[[MUL_6]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[SUB_2:.+]] = burn.sub %[[SUB_1]], %[[BROADCAST_4]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[BROADCAST_5:.+]] = burn.broadcast %[[LAYER_NORM_2]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_7:.+]] = burn.mul %[[SUB_2]], %[[BROADCAST_5]] : tensor<2x8xf32>
// CHECK-NEXT:  return %[[MUL_7]], %[[REDUCE]], %[[REDUCE_1]] : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
func.func @layer_norm(%x: tensor<2x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>, %g: tensor<2x8xf32>)
    -> (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y, %m, %v = burn.layer_norm %x, %s, %b {axis = 1, epsilon = 1.0e-5 : f64}
      : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
  %r:3 = burn.grad(%y) cotangents(%g) wrt(%x, %s, %b)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>)
      -> (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
}

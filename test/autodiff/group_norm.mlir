// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.group_norm works on lines of the groups and sums its parameters over features.

// CHECK-LABEL: func.func @group_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x4x3xf32>, %[[S:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<2x4x3xf32>
// CHECK:       %[[GROUP_NORM:.+]], %[[GROUP_NORM_1:.+]], %[[GROUP_NORM_2:.+]] = burn.group_norm %[[X]], %[[S]] {epsilon = 1.000000e-05 : f64, groups = 2 : i64} : (tensor<2x4x3xf32>, tensor<4xf32>) -> (tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[G]] : tensor<2x4x3xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[RESHAPE_1:.+]] = burn.reshape %[[X]] : tensor<2x4x3xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[GROUP_NORM_1]] {dims = array<i64: 0, 1>} : tensor<2x2xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[RESHAPE_1]], %[[BROADCAST]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[GROUP_NORM_2]] {dims = array<i64: 0, 1>} : tensor<2x2xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[SUB]], %[[BROADCAST_1]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[RESHAPE]], %[[MUL]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[RESHAPE_2:.+]] = burn.reshape %[[MUL_1]] : tensor<2x2x6xf32> to tensor<2x4x3xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[RESHAPE_2]] {dims = array<i64: 0, 2>} : tensor<2x4x3xf32> to tensor<4xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[S]] {dims = array<i64: 1>} : tensor<4xf32> to tensor<2x4x3xf32>
// CHECK-NEXT:  %[[RESHAPE_3:.+]] = burn.reshape %[[BROADCAST_2]] : tensor<2x4x3xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[RESHAPE]], %[[RESHAPE_3]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL_2]], %[[MUL]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[REDUCE_1:.+]] = burn.reduce sum %[[MUL_3]] {dims = array<i64: 2>} : tensor<2x2x6xf32> to tensor<2x2xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0.166666672> : tensor<2x2xf32>
// CHECK-NEXT:  %[[MUL_4:.+]] = burn.mul %[[REDUCE_1]], %[[C]] : tensor<2x2xf32>
// CHECK-NEXT:  %[[BROADCAST_3:.+]] = burn.broadcast %[[MUL_4]] {dims = array<i64: 0, 1>} : tensor<2x2xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[MUL_5:.+]] = burn.mul %[[MUL]], %[[BROADCAST_3]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[SUB_1:.+]] = burn.sub %[[MUL_2]], %[[MUL_5]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[REDUCE_2:.+]] = burn.reduce sum %[[MUL_2]] {dims = array<i64: 2>} : tensor<2x2x6xf32> to tensor<2x2xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<0.166666672> : tensor<2x2xf32>
// CHECK-NEXT:  %[[MUL_6:.+]] = burn.mul %[[REDUCE_2]], %[[C_1]] : tensor<2x2xf32>
// CHECK-NEXT:  %[[BROADCAST_4:.+]] = burn.broadcast %[[MUL_6]] {dims = array<i64: 0, 1>} : tensor<2x2xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[SUB_2:.+]] = burn.sub %[[SUB_1]], %[[BROADCAST_4]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[BROADCAST_5:.+]] = burn.broadcast %[[GROUP_NORM_2]] {dims = array<i64: 0, 1>} : tensor<2x2xf32> to tensor<2x2x6xf32>
// CHECK-NEXT:  %[[MUL_7:.+]] = burn.mul %[[SUB_2]], %[[BROADCAST_5]] : tensor<2x2x6xf32>
// CHECK-NEXT:  %[[RESHAPE_4:.+]] = burn.reshape %[[MUL_7]] : tensor<2x2x6xf32> to tensor<2x4x3xf32>
// CHECK-NEXT:  return %[[RESHAPE_4]], %[[REDUCE]] : tensor<2x4x3xf32>, tensor<4xf32>
func.func @group_norm(%x: tensor<2x4x3xf32>, %s: tensor<4xf32>, %g: tensor<2x4x3xf32>)
    -> (tensor<2x4x3xf32>, tensor<4xf32>) {
  %y, %m, %v = burn.group_norm %x, %s {groups = 2, epsilon = 1.0e-5 : f64}
      : (tensor<2x4x3xf32>, tensor<4xf32>) -> (tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %s)
      : (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<4xf32>) -> (tensor<2x4x3xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<2x4x3xf32>, tensor<4xf32>
}

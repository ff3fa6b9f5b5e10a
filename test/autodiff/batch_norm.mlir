// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.batch_norm gives sums for scale and bias and, for the input, a line in the cotangent
// and the centred input.

// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<6x3xf32>, %[[S:[a-z0-9]+]]: tensor<3xf32>, %[[B:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<6x3xf32>
// CHECK:       %[[Y:.+]], %[[M:.+]], %[[V:.+]] = burn.batch_norm %[[X]], %[[S]], %[[B]] {epsilon = 1.000000e-05 : f64, feature_dim = 1 : i64} : tensor<6x3xf32>, tensor<3xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[M]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<6x3xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[X]], %[[BROADCAST]] : tensor<6x3xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<9.99999974E-6> : tensor<3xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[V]], %[[C]] : tensor<3xf32>
// CHECK-NEXT:  %[[RSQRT:.+]] = burn.rsqrt %[[ADD]] : tensor<3xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[G]] {dims = array<i64: 0>} : tensor<6x3xf32> to tensor<3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SUB]] : tensor<6x3xf32>
// CHECK-NEXT:  %[[REDUCE_1:.+]] = burn.reduce sum %[[MUL]] {dims = array<i64: 0>} : tensor<6x3xf32> to tensor<3xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[RSQRT]], %[[REDUCE_1]] : tensor<3xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[S]], %[[RSQRT]] : tensor<3xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<-0.166666672> : tensor<3xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL_2]], %[[C_1]] : tensor<3xf32>
// CHECK-NEXT:  %[[MUL_4:.+]] = burn.mul %[[MUL_3]], %[[REDUCE]] : tensor<3xf32>
// CHECK-NEXT:  %[[MUL_5:.+]] = burn.mul %[[RSQRT]], %[[MUL_1]] : tensor<3xf32>
// CHECK-NEXT:  %[[MUL_6:.+]] = burn.mul %[[MUL_3]], %[[MUL_5]] : tensor<3xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[MUL_2]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<6x3xf32>
// CHECK-NEXT:  %[[MUL_7:.+]] = burn.mul %[[BROADCAST_1]], %[[G]] : tensor<6x3xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[MUL_6]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<6x3xf32>
// CHECK-NEXT:  %[[MUL_8:.+]] = burn.mul %[[BROADCAST_2]], %[[SUB]] : tensor<6x3xf32>
// CHECK-NEXT:  %[[ADD_1:.+]] = burn.add %[[MUL_7]], %[[MUL_8]] : tensor<6x3xf32>
// CHECK-NEXT:  %[[BROADCAST_3:.+]] = burn.broadcast %[[MUL_4]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<6x3xf32>
// CHECK-NEXT:  %[[ADD_2:.+]] = burn.add %[[ADD_1]], %[[BROADCAST_3]] : tensor<6x3xf32>
// CHECK-NEXT:  return %[[ADD_2]], %[[MUL_1]], %[[REDUCE]] : tensor<6x3xf32>, tensor<3xf32>, tensor<3xf32>
func.func @batch_norm(%x: tensor<6x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %g: tensor<6x3xf32>)
    -> (tensor<6x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y, %m, %v = burn.batch_norm %x, %s, %b {feature_dim = 1, epsilon = 1.0e-5 : f64} : tensor<6x3xf32>, tensor<3xf32>
  %r:3 = burn.grad(%y) cotangents(%g) wrt(%x, %s, %b)
      : (tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<6x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1, %r#2 : tensor<6x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.moments adds what mean and variance give.

// CHECK-LABEL: func.func @moments(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x4xf32>, %[[G:[a-z0-9]+]]: tensor<2xf32>, %[[H:[a-z0-9]+]]: tensor<2xf32>
// CHECK:       %[[MEAN:.+]], %[[VARIANCE:.+]] = burn.moments %[[X]] {correction = 2 : i64, dims = array<i64: 1>} : tensor<2x4xf32>
// CHECK-NEXT:  %[[CONSTANT:.+]] = burn.constant dense<2.500000e-01> : tensor<2xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[CONSTANT]] : tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[MUL]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x4xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[MEAN]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x4xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[X]], %[[BROADCAST_1]] : tensor<2x4xf32>
// CHECK-NEXT:  %[[CONSTANT_1:.+]] = burn.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[H]], %[[CONSTANT_1]] : tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[MUL_1]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[SUB]], %[[BROADCAST_2]] : tensor<2x4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[BROADCAST]], %[[MUL_2]] : tensor<2x4xf32>
// CHECK-NEXT:  return %[[ADD]] : tensor<2x4xf32>
func.func @moments(%x: tensor<2x4xf32>, %g: tensor<2xf32>, %h: tensor<2xf32>) -> tensor<2x4xf32> {
  %m, %v = burn.moments %x {dims = array<i64: 1>, correction = 2} : tensor<2x4xf32>
  %r = burn.grad(%m, %v) cotangents(%g, %h) wrt(%x) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

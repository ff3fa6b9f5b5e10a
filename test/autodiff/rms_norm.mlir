// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.rms_norm is built from its rstd, and works in f32 on f16.

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x8xf16>, %[[G:[a-z0-9]+]]: tensor<2x8xf16>
// CHECK:       %[[RMS_NORM:.+]], %[[RMS_NORM_1:.+]] = burn.rms_norm %[[X]] {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x8xf16>) -> (tensor<2x8xf16>, tensor<2xf32>)
// CHECK-NEXT:  %[[CONVERT:.+]] = burn.convert %[[X]] : tensor<2x8xf16> to tensor<2x8xf32>
// CHECK-NEXT:  %[[RMS_NORM_2:.+]], %[[RMS_NORM_3:.+]] = burn.rms_norm %[[CONVERT]] {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>)
// CHECK-NEXT:  %[[CONVERT_1:.+]] = burn.convert %[[G]] : tensor<2x8xf16> to tensor<2x8xf32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[RMS_NORM_3]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[CONVERT]], %[[BROADCAST]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[CONVERT_1]], %[[MUL]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[MUL_1]] {dims = array<i64: 1>} : tensor<2x8xf32> to tensor<2xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<1.250000e-01> : tensor<2xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[REDUCE]], %[[C]] : tensor<2xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[MUL_2]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL]], %[[BROADCAST_1]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[CONVERT_1]], %[[MUL_3]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[RMS_NORM_3]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x8xf32>
// CHECK-NEXT:  %[[MUL_4:.+]] = burn.mul %[[SUB]], %[[BROADCAST_2]] : tensor<2x8xf32>
// CHECK-NEXT:  %[[CONVERT_2:.+]] = burn.convert %[[MUL_4]] : tensor<2x8xf32> to tensor<2x8xf16>
// CHECK-NEXT:  return %[[CONVERT_2]] : tensor<2x8xf16>
func.func @rms_norm(%x: tensor<2x8xf16>, %g: tensor<2x8xf16>) -> tensor<2x8xf16> {
  %y, %v = burn.rms_norm %x {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf16>) -> (tensor<2x8xf16>, tensor<2xf32>)
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<2x8xf16>, tensor<2x8xf16>, tensor<2x8xf16>) -> tensor<2x8xf16>
  return %r : tensor<2x8xf16>
}

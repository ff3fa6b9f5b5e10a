// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.silu gives g s (1 + x (1 - s)) with s = logistic(x).

// CHECK-LABEL: func.func @silu(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[SILU:.+]] = burn.silu %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[LOGISTIC:.+]] = burn.logistic %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[C_1]], %[[LOGISTIC]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[X]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[C]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[LOGISTIC]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[G]], %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_2]] : tensor<4xf32>
func.func @silu(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.silu %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.sinh gives g cosh(x).

// CHECK-LABEL: func.func @sinh(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.sinh %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[COSH:.+]] = burn.cosh %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[COSH]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @sinh(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.sinh %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

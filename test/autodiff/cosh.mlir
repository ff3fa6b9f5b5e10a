// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.cosh gives g sinh(x).

// CHECK-LABEL: func.func @cosh(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.cosh %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[SINH:.+]] = burn.sinh %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SINH]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @cosh(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.cosh %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.cos gives -g sin(x).

// CHECK-LABEL: func.func @cos(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.cos %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[SIN:.+]] = burn.sin %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SIN]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  return %[[NEG]] : tensor<4xf32>
func.func @cos(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.cos %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

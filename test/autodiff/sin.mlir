// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.sin gives g cos(x).

// CHECK-LABEL: func.func @sin(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.sin %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[COS:.+]] = burn.cos %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[COS]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @sin(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.sin %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

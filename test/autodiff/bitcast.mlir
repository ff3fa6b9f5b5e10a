// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that no gradient flows through the bits of a number.

// CHECK-LABEL: func.func @bitcast(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  return %[[ZERO]] : tensor<4xf32>
func.func @bitcast(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %i = burn.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %y = burn.bitcast %i : tensor<4xi32> to tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

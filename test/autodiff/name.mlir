// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the cotangent passes a name as it is.

// CHECK-LABEL: func.func @name(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.name "hidden" %[[X]]
// CHECK-NEXT:  return %[[G]]
func.func @name(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.name "hidden" %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

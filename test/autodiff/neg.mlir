// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.neg gives -g.

// CHECK-LABEL: func.func @neg(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.neg %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[G]] : tensor<4xf32>
// CHECK-NEXT:  return %[[NEG]] : tensor<4xf32>
func.func @neg(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.neg %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

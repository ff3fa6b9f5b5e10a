// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the cotangents of a barrier pass one of their own; where one is zero, it has the others alone.

// CHECK-LABEL: func.func @barrier(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.barrier %[[X]], %[[Y]]
// CHECK-NEXT:  %[[CT:.+]] = burn.barrier %[[G]] : tensor<4xf32>
// CHECK:       return %[[CT]]
func.func @barrier(%x: tensor<4xf32>, %y: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %a, %b = burn.barrier %x, %y : tensor<4xf32>, tensor<4xf32>
  %r = burn.grad(%a) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

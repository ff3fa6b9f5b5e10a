// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the cotangent passes as it is, and that the op stays where it is.

// CHECK-LABEL: func.func @print(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.print "x" %[[X]]
// CHECK-NEXT:  return %{{.*}}, %[[G]]
func.func @print(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.print "x" %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %r : tensor<4xf32>, tensor<4xf32>
}

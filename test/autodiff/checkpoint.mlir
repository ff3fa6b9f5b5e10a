// RUN: burn-opt %s --burn-differentiate | FileCheck %s
// RUN: burn-opt %s --burn-differentiate --burn-simplify | FileCheck %s --check-prefix=SIMPLE

// Tests that the gradient of a checkpoint computes the region again from the inputs behind a barrier, and that the second
// run is not merged with the first.

// CHECK-LABEL: func.func @checkpoint(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.checkpoint save_nothing (%[[X]])
// CHECK:       %[[B:.+]]:2 = burn.barrier %[[X]], %[[G]]
// CHECK:       %[[T:.+]] = burn.tanh %[[B]]#0
// CHECK:       burn.mul %[[T]], %[[T]]
// CHECK-NOT:   burn.grad
// SIMPLE-LABEL: func.func @checkpoint(
// SIMPLE-NOT:   burn.checkpoint
// SIMPLE:       burn.tanh
// SIMPLE:       burn.barrier
// SIMPLE:       burn.tanh
func.func @checkpoint(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.checkpoint save_nothing (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %t = burn.tanh %a : tensor<4xf32>
    burn.yield %t : tensor<4xf32>
  }
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %r : tensor<4xf32>, tensor<4xf32>
}

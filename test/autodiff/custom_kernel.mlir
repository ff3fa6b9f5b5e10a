// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that a gradient flows through what a kernel says it computes, while its values stay those of the kernel.

// CHECK-LABEL: func.func @custom_kernel(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.custom_kernel "square" version 1 (%[[X]])
// CHECK:       %[[A:.+]] = burn.mul %[[G]], %[[X]]
// CHECK:       %[[B:.+]] = burn.mul %[[G]], %[[X]]
// CHECK:       %[[R:.+]] = burn.add %[[A]], %[[B]]
// CHECK-NOT:   burn.grad
// CHECK:       return %[[Y]], %[[R]]
func.func @custom_kernel(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.custom_kernel "square" version 1 (%x) : (tensor<4xf32>) -> tensor<4xf32> decomposition {
  ^bb0(%a: tensor<4xf32>):
    %s = burn.mul %a, %a : tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  }
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %r : tensor<4xf32>, tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.rsqrt gives -g y / (2 x).

// CHECK-LABEL: func.func @rsqrt(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.rsqrt %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<-5.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[Y]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[MUL]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[DIV]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_1]] : tensor<4xf32>
func.func @rsqrt(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.rsqrt %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

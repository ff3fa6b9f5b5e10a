// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.convert converts the cotangent back.

// CHECK-LABEL: func.func @convert(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf64>
// CHECK:       %[[Y:.+]] = burn.convert %[[X]] : tensor<4xf32> to tensor<4xf64>
// CHECK-NEXT:  %[[CONVERT:.+]] = burn.convert %[[G]] : tensor<4xf64> to tensor<4xf32>
// CHECK-NEXT:  return %[[CONVERT]] : tensor<4xf32>
func.func @convert(%x: tensor<4xf32>, %g: tensor<4xf64>)
    -> tensor<4xf32> {
  %y = burn.convert %x : tensor<4xf32> to tensor<4xf64>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf64>, tensor<4xf64>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

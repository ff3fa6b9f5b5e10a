// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.reshape reshapes back.

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<6xf32>
// CHECK:       %[[Y:.+]] = burn.reshape %[[X]] : tensor<2x3xf32> to tensor<6xf32>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[G]] : tensor<6xf32> to tensor<2x3xf32>
// CHECK-NEXT:  return %[[RESHAPE]] : tensor<2x3xf32>
func.func @reshape(%x: tensor<2x3xf32>, %g: tensor<6xf32>)
    -> tensor<2x3xf32> {
  %y = burn.reshape %x : tensor<2x3xf32> to tensor<6xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

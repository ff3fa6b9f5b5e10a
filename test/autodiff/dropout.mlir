// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.dropout draws the same mask again.

// CHECK-LABEL: func.func @dropout(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[KEY:[a-z0-9]+]]: tensor<2xui32>, %[[COUNTER:[a-z0-9]+]]: tensor<ui64>, %[[RATE:[a-z0-9]+]]: tensor<f64>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.dropout %[[X]], %[[KEY]], %[[COUNTER]], %[[RATE]] {ordinal = 3 : i64} : tensor<4xf32>
// CHECK-NEXT:  %[[DROPOUT:.+]] = burn.dropout %[[G]], %[[KEY]], %[[COUNTER]], %[[RATE]] {ordinal = 3 : i64} : tensor<4xf32>
// CHECK-NEXT:  return %[[DROPOUT]] : tensor<4xf32>
func.func @dropout(%x: tensor<4xf32>, %key: tensor<2xui32>, %counter: tensor<ui64>, %rate: tensor<f64>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.dropout %x, %key, %counter, %rate {ordinal = 3} : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

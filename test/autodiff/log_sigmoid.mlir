// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.log_sigmoid gives g logistic(-x).

// CHECK-LABEL: func.func @log_sigmoid(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[LOG_SIGMOID:.+]] = burn.log_sigmoid %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[LOGISTIC:.+]] = burn.logistic %[[NEG]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[LOGISTIC]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @log_sigmoid(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.log_sigmoid %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

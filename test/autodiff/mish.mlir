// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.mish gives g (t + x logistic(x) (1 - t^2)) with t = tanh(softplus(x)).

// CHECK-LABEL: func.func @mish(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[MISH:.+]] = burn.mish %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ABS:.+]] = burn.abs %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[ABS]] : tensor<4xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[NEG]] : tensor<4xf32>
// CHECK-NEXT:  %[[LOG1P:.+]] = burn.log1p %[[EXP]] : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MAX:.+]] = burn.max %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[MAX]], %[[LOG1P]] : tensor<4xf32>
// CHECK-NEXT:  %[[TANH:.+]] = burn.tanh %[[ADD]] : tensor<4xf32>
// CHECK-NEXT:  %[[LOGISTIC:.+]] = burn.logistic %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[TANH]], %[[TANH]] : tensor<4xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[C_1]], %[[MUL]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[LOGISTIC]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[X]], %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD_1:.+]] = burn.add %[[TANH]], %[[MUL_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[G]], %[[ADD_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_3]] : tensor<4xf32>
func.func @mish(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.mish %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

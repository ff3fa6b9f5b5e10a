// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.gelu is the closed form of either formula.

// CHECK-LABEL: func.func @erf(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.gelu none %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[CDF:.+]] = burn.custom_vjp (%[[X]]) captured(%[[Y]]) {{.*}} forward {
// CHECK-NEXT:  ^bb0(%[[AT:.+]]: tensor<4xf32>, %[[Z:.+]]: tensor<4xf32>):
// CHECK:         %[[ABS:.+]] = burn.abs %[[AT]]
// CHECK:         %[[SMALL:.+]] = burn.compare lt %[[ABS]], %{{.+}}
// CHECK:         %[[SERIES:.+]] = burn.add
// CHECK:         %[[QUOTIENT:.+]] = burn.div %[[Z]], %[[AT]]
// CHECK:         burn.select %[[SMALL]], %[[SERIES]], %[[QUOTIENT]]
// CHECK:       } vjp {
// CHECK:         burn.exp
// CHECK:       }
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<-5.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[MUL_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<0.398942292> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_4:.+]] = burn.mul %[[EXP]], %[[C_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_5:.+]] = burn.mul %[[X]], %[[MUL_4]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD_1:.+]] = burn.add %[[CDF]], %[[MUL_5]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_6:.+]] = burn.mul %[[G]], %[[ADD_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_6]] : tensor<4xf32>
func.func @erf(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.gelu none %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @tanh(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.gelu tanh %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<4.471500e-02> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[MUL]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[ONE]], %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[X]], %[[ADD]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<0.797884583> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL_2]], %[[C_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[TANH:.+]] = burn.tanh %[[MUL_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_4:.+]] = burn.mul %[[MUL_1]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD_1:.+]] = burn.add %[[ONE]], %[[MUL_4]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<0.797884583> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_5:.+]] = burn.mul %[[ADD_1]], %[[C_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_6:.+]] = burn.mul %[[TANH]], %[[TANH]] : tensor<4xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[ONE]], %[[MUL_6]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_7:.+]] = burn.mul %[[X]], %[[SUB]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_8:.+]] = burn.mul %[[MUL_7]], %[[MUL_5]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD_2:.+]] = burn.add %[[ONE]], %[[TANH]] : tensor<4xf32>
// CHECK-NEXT:  %[[ADD_3:.+]] = burn.add %[[ADD_2]], %[[MUL_8]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_4:.+]] = burn.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_9:.+]] = burn.mul %[[ADD_3]], %[[C_4]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_10:.+]] = burn.mul %[[G]], %[[MUL_9]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL_10]] : tensor<4xf32>
func.func @tanh(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = burn.gelu tanh %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

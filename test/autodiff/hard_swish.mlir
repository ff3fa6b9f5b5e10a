// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.hard_swish gives 0, g (x/3 + 1/2) and g on its three pieces.

// CHECK-LABEL: func.func @hard_swish(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[HARD_SWISH:.+]] = burn.hard_swish %[[X]] : tensor<4xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[X]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[DIV]], %[[C_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<-3.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare le %[[X]], %[[C_2]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare lt %[[X]], %[[C_3]] : tensor<4xf32>
// CHECK-NEXT:  %[[C_4:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[C_5:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE_1]], %[[ADD]], %[[C_5]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[COMPARE]], %[[C_4]], %[[SELECT]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[G]], %[[SELECT_1]] : tensor<4xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4xf32>
func.func @hard_swish(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.hard_swish %x : tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.clamp gives the cotangent to the operand that each element was taken from.

// CHECK-LABEL: func.func @clamp(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[LOW:[a-z0-9]+]]: tensor<4xf32>, %[[HIGH:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.clamp %[[X]], %[[LOW]], %[[HIGH]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare ge %[[X]], %[[LOW]] : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare le %[[X]], %[[HIGH]] : tensor<4xf32>
// CHECK-NEXT:  %[[AND:.+]] = burn.and %[[COMPARE]], %[[COMPARE_1]] : tensor<4xi1>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[AND]], %[[G]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_2:.+]] = burn.compare lt %[[X]], %[[LOW]] : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_3:.+]] = burn.compare le %[[LOW]], %[[HIGH]] : tensor<4xf32>
// CHECK-NEXT:  %[[AND_1:.+]] = burn.and %[[COMPARE_2]], %[[COMPARE_3]] : tensor<4xi1>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[AND_1]], %[[G]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_4:.+]] = burn.compare gt %[[X]], %[[HIGH]] : tensor<4xf32>
// CHECK-NEXT:  %[[COMPARE_5:.+]] = burn.compare gt %[[LOW]], %[[HIGH]] : tensor<4xf32>
// CHECK-NEXT:  %[[OR:.+]] = burn.or %[[COMPARE_4]], %[[COMPARE_5]] : tensor<4xi1>
// CHECK-NEXT:  %[[SELECT_2:.+]] = burn.select %[[OR]], %[[G]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[SELECT]], %[[SELECT_1]], %[[SELECT_2]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @clamp(%x: tensor<4xf32>, %low: tensor<4xf32>, %high: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = burn.clamp %x, %low, %high : tensor<4xf32>
  %r:3 = burn.grad(%y) cotangents(%g) wrt(%x, %low, %high)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// RUN: burn-opt %s --split-input-file --burn-differentiate | FileCheck %s

// Tests that the rule of burn.attention is one op, which gets lse and delta = -sum(g o) in place of the scores.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[K:[a-z0-9]+]]: tensor<1x1x5x4xf32>, %[[V:[a-z0-9]+]]: tensor<1x1x5x4xf32>, %[[G:[a-z0-9]+]]: tensor<1x2x3x4xf32>
// CHECK:       %[[O:.+]], %[[LSE:.+]] = burn.attention %[[Q]], %[[K]], %[[V]]
// CHECK-NEXT:  %[[ALIKE:.+]] = burn.mul %[[G]], %[[O]] : tensor<1x2x3x4xf32>
// CHECK-NEXT:  %[[SUM:.+]] = burn.reduce sum %[[ALIKE]] {dims = array<i64: 3>} : tensor<1x2x3x4xf32> to tensor<1x2x3xf32>
// CHECK-NEXT:  %[[DELTA:.+]] = burn.neg %[[SUM]] : tensor<1x2x3xf32>
// CHECK-NEXT:  %[[DQ:.+]], %[[DK:.+]], %[[DV:.+]], %{{.+}} = burn.attention_grad %[[Q]], %[[K]], %[[V]] lse %[[LSE]] of %[[G]], %[[DELTA]] {causal = true, scale = 5.000000e-01 : f64, softcap = 0.000000e+00 : f64}
// CHECK-NEXT:  return %[[DQ]], %[[DK]], %[[DV]]
func.func @attention(%q: tensor<1x2x3x4xf32>, %k: tensor<1x1x5x4xf32>, %v: tensor<1x1x5x4xf32>, %g: tensor<1x2x3x4xf32>)
    -> (tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) {
  %o, %l = burn.attention %q, %k, %v {causal = true, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  %r:3 = burn.grad(%o) cotangents(%g) wrt(%q, %k, %v)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>)
      -> (tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>
}

// -----

// Tests that the gradient of a bias is that of the scores, summed over the heads that share the bias, and that a
// gradient of lse is part of delta.

// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<1x1x3x5xf32>, %[[G:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[H:[a-z0-9]+]]: tensor<1x2x3xf32>
// CHECK:       %[[ALIKE:.+]] = burn.neg
// CHECK-NEXT:  %[[DELTA:.+]] = burn.add %[[ALIKE]], %[[H]] : tensor<1x2x3xf32>
// CHECK-NEXT:  %{{.+}}, %{{.+}}, %{{.+}}, %[[DS:.+]] = burn.attention_grad %{{.+}} bias %[[B]] lse %{{.+}} of %[[G]], %[[DELTA]]
// CHECK-NEXT:  %[[SUM:.+]] = burn.reduce sum %[[DS]] {dims = array<i64: 1>} : tensor<1x2x3x5xf32> to tensor<1x3x5xf32>
// CHECK-NEXT:  %[[DB:.+]] = burn.reshape %[[SUM]] : tensor<1x3x5xf32> to tensor<1x1x3x5xf32>
// CHECK-NEXT:  return %[[DB]]
func.func @bias(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %b: tensor<1x1x3x5xf32>, %g: tensor<1x2x3x4xf32>,
                %h: tensor<1x2x3xf32>) -> tensor<1x1x3x5xf32> {
  %o, %l = burn.attention %q, %k, %k bias %b {causal = false, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x1x3x5xf32>)
      -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  %r = burn.grad(%o, %l) cotangents(%g, %h) wrt(%b)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<1x1x3x5xf32>)
      -> tensor<1x1x3x5xf32>
  return %r : tensor<1x1x3x5xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.attention computes the weights again from lse, and D from its result.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[K:[a-z0-9]+]]: tensor<1x1x5x4xf32>, %[[V:[a-z0-9]+]]: tensor<1x1x5x4xf32>, %[[G:[a-z0-9]+]]: tensor<1x2x3x4xf32>
// CHECK:       %[[ATTENTION:.+]], %[[ATTENTION_1:.+]] = burn.attention %[[Q]], %[[K]], %[[V]] {causal = true, scale = 5.000000e-01 : f64, softcap = 0.000000e+00 : f64} : (tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[Q]] : tensor<1x2x3x4xf32> to tensor<1x1x6x4xf32>
// CHECK-NEXT:  %[[DOT_GENERAL:.+]] = burn.dot_general %[[RESHAPE]], %[[K]] {lhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 3>, rhs_batch = array<i64: 0, 1>, rhs_contract = array<i64: 3>} : tensor<1x1x6x4xf32>, tensor<1x1x5x4xf32> to tensor<1x1x6x5xf32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<5.000000e-01> : tensor<1x1x6x5xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[DOT_GENERAL]], %[[C]] : tensor<1x1x6x5xf32>
// CHECK-NEXT:  %[[RESHAPE_1:.+]] = burn.reshape %[[MUL]] : tensor<1x1x6x5xf32> to tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 0 : i64} : tensor<3x5xi64>
// CHECK-NEXT:  %[[IOTA_1:.+]] = burn.iota {dim = 1 : i64} : tensor<3x5xi64>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<2> : tensor<3x5xi64>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[IOTA]], %[[C_1]] : tensor<3x5xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare le %[[IOTA_1]], %[[ADD]] : tensor<3x5xi64>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[COMPARE]] {dims = array<i64: 2, 3>} : tensor<3x5xi1> to tensor<1x2x3x5xi1>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0xFF800000> : tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[BROADCAST]], %[[RESHAPE_1]], %[[C_2]] : tensor<1x2x3x5xi1>, tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[C_3:.+]] = burn.constant dense<0xFF800000> : tensor<1x2x3xf32>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare eq %[[ATTENTION_1]], %[[C_3]] : tensor<1x2x3xf32>
// CHECK-NEXT:  %[[C_4:.+]] = burn.constant dense<0.000000e+00> : tensor<1x2x3xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[COMPARE_1]], %[[C_4]], %[[ATTENTION_1]] : tensor<1x2x3xi1>, tensor<1x2x3xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[SELECT_1]] {dims = array<i64: 0, 1, 2>} : tensor<1x2x3xf32> to tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[SELECT]], %[[BROADCAST_1]] : tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[EXP:.+]] = burn.exp %[[SUB]] : tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[RESHAPE_2:.+]] = burn.reshape %[[EXP]] : tensor<1x2x3x5xf32> to tensor<1x1x6x5xf32>
// CHECK-NEXT:  %[[RESHAPE_3:.+]] = burn.reshape %[[G]] : tensor<1x2x3x4xf32> to tensor<1x1x6x4xf32>
// CHECK-NEXT:  %[[DOT_GENERAL_1:.+]] = burn.dot_general %[[RESHAPE_2]], %[[RESHAPE_3]] {lhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 0, 1>, rhs_contract = array<i64: 2>} : tensor<1x1x6x5xf32>, tensor<1x1x6x4xf32> to tensor<1x1x5x4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[G]], %[[ATTENTION]] : tensor<1x2x3x4xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[MUL_1]] {dims = array<i64: 3>} : tensor<1x2x3x4xf32> to tensor<1x2x3xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[REDUCE]] : tensor<1x2x3xf32>
// CHECK-NEXT:  %[[RESHAPE_4:.+]] = burn.reshape %[[G]] : tensor<1x2x3x4xf32> to tensor<1x1x6x4xf32>
// CHECK-NEXT:  %[[DOT_GENERAL_2:.+]] = burn.dot_general %[[RESHAPE_4]], %[[V]] {lhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 3>, rhs_batch = array<i64: 0, 1>, rhs_contract = array<i64: 3>} : tensor<1x1x6x4xf32>, tensor<1x1x5x4xf32> to tensor<1x1x6x5xf32>
// CHECK-NEXT:  %[[RESHAPE_5:.+]] = burn.reshape %[[DOT_GENERAL_2]] : tensor<1x1x6x5xf32> to tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[NEG]] {dims = array<i64: 0, 1, 2>} : tensor<1x2x3xf32> to tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[ADD_1:.+]] = burn.add %[[RESHAPE_5]], %[[BROADCAST_2]] : tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[EXP]], %[[ADD_1]] : tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[C_5:.+]] = burn.constant dense<5.000000e-01> : tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[MUL_2]], %[[C_5]] : tensor<1x2x3x5xf32>
// CHECK-NEXT:  %[[RESHAPE_6:.+]] = burn.reshape %[[MUL_3]] : tensor<1x2x3x5xf32> to tensor<1x1x6x5xf32>
// CHECK-NEXT:  %[[DOT_GENERAL_3:.+]] = burn.dot_general %[[RESHAPE_6]], %[[K]] {lhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 3>, rhs_batch = array<i64: 0, 1>, rhs_contract = array<i64: 2>} : tensor<1x1x6x5xf32>, tensor<1x1x5x4xf32> to tensor<1x1x6x4xf32>
// CHECK-NEXT:  %[[RESHAPE_7:.+]] = burn.reshape %[[DOT_GENERAL_3]] : tensor<1x1x6x4xf32> to tensor<1x2x3x4xf32>
// CHECK-NEXT:  %[[DOT_GENERAL_4:.+]] = burn.dot_general %[[RESHAPE_6]], %[[RESHAPE]] {lhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 0, 1>, rhs_contract = array<i64: 2>} : tensor<1x1x6x5xf32>, tensor<1x1x6x4xf32> to tensor<1x1x5x4xf32>
// CHECK-NEXT:  return %[[RESHAPE_7]], %[[DOT_GENERAL_4]], %[[DOT_GENERAL_1]] : tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>
func.func @attention(%q: tensor<1x2x3x4xf32>, %k: tensor<1x1x5x4xf32>, %v: tensor<1x1x5x4xf32>, %g: tensor<1x2x3x4xf32>)
    -> (tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) {
  %o, %l = burn.attention %q, %k, %v {causal = true, scale = 0.5 : f64, softcap = 0.0 : f64}
      : (tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  %r:3 = burn.grad(%o) cotangents(%g) wrt(%q, %k, %v)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>)
      -> (tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<1x2x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.dot_general is two products, transposed only where no order of operands gives the right
// layout.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<3x4xf32>, %[[B:[a-z0-9]+]]: tensor<4x2xf32>, %[[G:[a-z0-9]+]]: tensor<3x2xf32>
// CHECK:       %[[Y:.+]] = burn.dot_general %[[A]], %[[B]] {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : tensor<3x4xf32>, tensor<4x2xf32> to tensor<3x2xf32>
// CHECK-NEXT:  %[[DOT_GENERAL:.+]] = burn.dot_general %[[G]], %[[B]] {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>} : tensor<3x2xf32>, tensor<4x2xf32> to tensor<3x4xf32>
// CHECK-NEXT:  %[[DOT_GENERAL_1:.+]] = burn.dot_general %[[A]], %[[G]] {lhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : tensor<3x4xf32>, tensor<3x2xf32> to tensor<4x2xf32>
// CHECK-NEXT:  return %[[DOT_GENERAL]], %[[DOT_GENERAL_1]] : tensor<3x4xf32>, tensor<4x2xf32>
func.func @matmul(%a: tensor<3x4xf32>, %b: tensor<4x2xf32>, %g: tensor<3x2xf32>)
    -> (tensor<3x4xf32>, tensor<4x2xf32>) {
  %y = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<3x4xf32>, tensor<4x2xf32> to tensor<3x2xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x4xf32>, tensor<4x2xf32>) -> (tensor<3x4xf32>, tensor<4x2xf32>)
  return %r#0, %r#1 : tensor<3x4xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<3x4xf32>, %[[B:[a-z0-9]+]]: tensor<2x4xf32>, %[[G:[a-z0-9]+]]: tensor<3x2xf32>
// CHECK:       %[[Y:.+]] = burn.dot_general %[[A]], %[[B]] {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>} : tensor<3x4xf32>, tensor<2x4xf32> to tensor<3x2xf32>
// CHECK-NEXT:  %[[DOT_GENERAL:.+]] = burn.dot_general %[[G]], %[[B]] {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : tensor<3x2xf32>, tensor<2x4xf32> to tensor<3x4xf32>
// CHECK-NEXT:  %[[DOT_GENERAL_1:.+]] = burn.dot_general %[[G]], %[[A]] {lhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : tensor<3x2xf32>, tensor<3x4xf32> to tensor<2x4xf32>
// CHECK-NEXT:  return %[[DOT_GENERAL]], %[[DOT_GENERAL_1]] : tensor<3x4xf32>, tensor<2x4xf32>
func.func @linear(%a: tensor<3x4xf32>, %b: tensor<2x4xf32>, %g: tensor<3x2xf32>)
    -> (tensor<3x4xf32>, tensor<2x4xf32>) {
  %y = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : tensor<3x4xf32>, tensor<2x4xf32> to tensor<3x2xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<2x4xf32>)
  return %r#0, %r#1 : tensor<3x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @batched(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<3x5x4xf32>, %[[B:[a-z0-9]+]]: tensor<4x2x5xf32>, %[[G:[a-z0-9]+]]: tensor<5x3x2xf32>
// CHECK:       %[[Y:.+]] = burn.dot_general %[[A]], %[[B]] {lhs_batch = array<i64: 1>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 2>, rhs_contract = array<i64: 0>} : tensor<3x5x4xf32>, tensor<4x2x5xf32> to tensor<5x3x2xf32>
// CHECK-NEXT:  %[[DOT_GENERAL:.+]] = burn.dot_general %[[G]], %[[B]] {lhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 2>, rhs_contract = array<i64: 1>} : tensor<5x3x2xf32>, tensor<4x2x5xf32> to tensor<5x3x4xf32>
// CHECK-NEXT:  %[[TRANSPOSE:.+]] = burn.transpose %[[DOT_GENERAL]] {perm = array<i64: 1, 0, 2>} : tensor<5x3x4xf32> to tensor<3x5x4xf32>
// CHECK-NEXT:  %[[DOT_GENERAL_1:.+]] = burn.dot_general %[[G]], %[[A]] {lhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_batch = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<5x3x2xf32>, tensor<3x5x4xf32> to tensor<5x2x4xf32>
// CHECK-NEXT:  %[[TRANSPOSE_1:.+]] = burn.transpose %[[DOT_GENERAL_1]] {perm = array<i64: 2, 1, 0>} : tensor<5x2x4xf32> to tensor<4x2x5xf32>
// CHECK-NEXT:  return %[[TRANSPOSE]], %[[TRANSPOSE_1]] : tensor<3x5x4xf32>, tensor<4x2x5xf32>
func.func @batched(%a: tensor<3x5x4xf32>, %b: tensor<4x2x5xf32>, %g: tensor<5x3x2xf32>)
    -> (tensor<3x5x4xf32>, tensor<4x2x5xf32>) {
  %y = burn.dot_general %a, %b {lhs_batch = array<i64: 1>, rhs_batch = array<i64: 2>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : tensor<3x5x4xf32>, tensor<4x2x5xf32> to tensor<5x3x2xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<5x3x2xf32>, tensor<5x3x2xf32>, tensor<3x5x4xf32>, tensor<4x2x5xf32>) -> (tensor<3x5x4xf32>, tensor<4x2x5xf32>)
  return %r#0, %r#1 : tensor<3x5x4xf32>, tensor<4x2x5xf32>
}

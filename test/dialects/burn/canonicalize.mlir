// RUN: burn-opt %s --split-input-file --canonicalize='test-convergence' | FileCheck %s

// Tests that negations are absorbed by sums, products, quotients and absolute values.
// CHECK-LABEL: @negations
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
func.func @negations(%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %na = burn.neg %a : tensor<4xf32>
  %nb = burn.neg %b : tensor<4xf32>
  // CHECK: %[[R0:.*]] = burn.sub %[[A]], %[[B]]
  %0 = burn.add %a, %nb : tensor<4xf32>
  // CHECK: %[[R1:.*]] = burn.add %[[A]], %[[B]]
  %1 = burn.sub %a, %nb : tensor<4xf32>
  // CHECK: %[[R2:.*]] = burn.mul %[[A]], %[[B]]
  %2 = burn.mul %na, %nb : tensor<4xf32>
  // CHECK: %[[R3:.*]] = burn.abs %[[A]]
  %3 = burn.abs %na : tensor<4xf32>
  %minus = burn.constant dense<-1.0> : tensor<4xf32>
  // CHECK: %[[R4:.*]] = burn.neg %[[A]]
  %4 = burn.mul %a, %minus : tensor<4xf32>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]]
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that a division by a power of two is a product, and one by another number stays.
// CHECK-LABEL: @powers_of_two
func.func @powers_of_two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[EIGHTH:.*]] = burn.constant dense<1.250000e-01>
  // CHECK: burn.mul %{{.*}}, %[[EIGHTH]]
  %eight = burn.constant dense<8.0> : tensor<4xf32>
  %0 = burn.div %x, %eight : tensor<4xf32>
  // CHECK: burn.div
  %ten = burn.constant dense<10.0> : tensor<4xf32>
  %1 = burn.div %x, %ten : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that arithmetic on broadcast scalars is done once.
// CHECK-LABEL: @scalars
// CHECK-SAME: (%[[LR:.*]]: tensor<f32>, %[[X:.*]]: tensor<8xf32>)
func.func @scalars(%lr: tensor<f32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-DAG: %[[HALF:.*]] = burn.constant dense<5.000000e-01> : tensor<f32>
  // CHECK: %[[S:.*]] = burn.mul %[[LR]], %[[HALF]] : tensor<f32>
  // CHECK: %[[B:.*]] = burn.broadcast %[[S]] {dims = array<i64>} : tensor<f32> to tensor<8xf32>
  // CHECK: burn.mul %[[X]], %[[B]] : tensor<8xf32>
  %half = burn.constant dense<0.5> : tensor<8xf32>
  %b = burn.broadcast %lr {dims = array<i64>} : tensor<f32> to tensor<8xf32>
  %s = burn.mul %b, %half : tensor<8xf32>
  %r = burn.mul %x, %s : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Tests that chains of broadcasts, reshapes, transposes and slices become one.
// CHECK-LABEL: @chains
// CHECK-SAME: (%[[C:.*]]: tensor<3xf32>, %[[X:.*]]: tensor<2x3x4xf32>)
func.func @chains(%c: tensor<3xf32>, %x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4x4xf32>, tensor<24xf32>, tensor<4x2x3xf32>, tensor<1x1x2xf32>) {
  // CHECK: %[[B:.*]] = burn.broadcast %[[C]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<2x3x4x4xf32>
  %0 = burn.reshape %c : tensor<3xf32> to tensor<1x3x1x1xf32>
  %1 = burn.broadcast %0 {dims = array<i64: 0, 1, 2, 3>} : tensor<1x3x1x1xf32> to tensor<1x3x4x4xf32>
  %2 = burn.broadcast %1 {dims = array<i64: 0, 1, 2, 3>} : tensor<1x3x4x4xf32> to tensor<2x3x4x4xf32>
  // CHECK: %[[R:.*]] = burn.reshape %[[X]] : tensor<2x3x4xf32> to tensor<24xf32>
  %3 = burn.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %4 = burn.reshape %3 : tensor<6x4xf32> to tensor<24xf32>
  // CHECK: %[[T:.*]] = burn.transpose %[[X]] {perm = array<i64: 2, 0, 1>}
  %5 = burn.transpose %x {perm = array<i64: 1, 2, 0>} : tensor<2x3x4xf32> to tensor<3x4x2xf32>
  %6 = burn.transpose %5 {perm = array<i64: 1, 2, 0>} : tensor<3x4x2xf32> to tensor<4x2x3xf32>
  // CHECK: %[[S:.*]] = burn.slice %[[X]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 1, 2, 1>, strides = array<i64: 1, 1, 2>}
  %7 = burn.slice %x {starts = array<i64: 1, 1, 1>, sizes = array<i64: 1, 2, 3>, strides = array<i64: 1, 1, 1>}
      : tensor<2x3x4xf32> to tensor<1x2x3xf32>
  %8 = burn.slice %7 {starts = array<i64: 0, 1, 0>, sizes = array<i64: 1, 1, 2>, strides = array<i64: 1, 1, 2>}
      : tensor<1x2x3xf32> to tensor<1x1x2xf32>
  // CHECK: return %[[B]], %[[R]], %[[T]], %[[S]]
  return %2, %4, %6, %8 : tensor<2x3x4x4xf32>, tensor<24xf32>, tensor<4x2x3xf32>, tensor<1x1x2xf32>
}

// -----

// Tests that a slice of nothing at the end of a strided slice stays within the operand.
// CHECK-LABEL: @empty_slice_of_slice
// CHECK: burn.slice %{{.*}} {sizes = array<i64: 0>, starts = array<i64: 0>, strides = array<i64: 1>} : tensor<5xf32>
func.func @empty_slice_of_slice(%x: tensor<5xf32>) -> tensor<0xf32> {
  %0 = burn.slice %x {starts = array<i64: 0>, sizes = array<i64: 3>, strides = array<i64: 2>} : tensor<5xf32> to tensor<3xf32>
  %1 = burn.slice %0 {starts = array<i64: 3>, sizes = array<i64: 0>, strides = array<i64: 1>} : tensor<3xf32> to tensor<0xf32>
  return %1 : tensor<0xf32>
}

// -----

// Tests that a slice reads what was concatenated, padded or broadcast directly.
// CHECK-LABEL: @slices
// CHECK-SAME: (%[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>
func.func @slices(%a: tensor<2xf32>, %b: tensor<3xf32>, %v: tensor<f32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<5xf32>, tensor<2x2xf32>) {
  // CHECK: %[[FROM:.*]] = burn.slice %[[B]] {sizes = array<i64: 2>, starts = array<i64: 1>
  %0 = burn.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = burn.slice %0 {starts = array<i64: 3>, sizes = array<i64: 2>, strides = array<i64: 1>}
      : tensor<5xf32> to tensor<2xf32>
  // CHECK: %[[IN:.*]] = burn.slice %[[B]] {sizes = array<i64: 2>, starts = array<i64: 1>, strides = array<i64: 1>}
  %2 = burn.pad %b, %v {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 1>}
      : tensor<3xf32>, tensor<f32> to tensor<6xf32>
  %3 = burn.slice %2 {starts = array<i64: 3>, sizes = array<i64: 2>, strides = array<i64: 2>}
      : tensor<6xf32> to tensor<2xf32>
  // CHECK: %[[OVER:.*]] = burn.slice %{{.*}} {sizes = array<i64: 5>
  %4 = burn.slice %2 {starts = array<i64: 1>, sizes = array<i64: 5>, strides = array<i64: 1>}
      : tensor<6xf32> to tensor<5xf32>
  // CHECK: %[[PART:.*]] = burn.slice %[[B]] {sizes = array<i64: 2>, starts = array<i64: 0>
  // CHECK: %[[WIDE:.*]] = burn.broadcast %[[PART]]
  %5 = burn.broadcast %b {dims = array<i64: 1>} : tensor<3xf32> to tensor<4x3xf32>
  %6 = burn.slice %5 {starts = array<i64: 1, 0>, sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>}
      : tensor<4x3xf32> to tensor<2x2xf32>
  return %1, %3, %4, %6 : tensor<2xf32>, tensor<2xf32>, tensor<5xf32>, tensor<2x2xf32>
}

// -----

// Tests that dead updates, nested pads and nested concats go away.
// CHECK-LABEL: @merges
// CHECK-SAME: (%[[X:.*]]: tensor<6xf32>, %[[U:.*]]: tensor<2xf32>, %[[W:.*]]: tensor<3xf32>, %[[V:.*]]: tensor<f32>)
func.func @merges(%x: tensor<6xf32>, %u: tensor<2xf32>, %w: tensor<3xf32>, %v: tensor<f32>)
    -> (tensor<6xf32>, tensor<5xf32>, tensor<7xf32>) {
  // CHECK: %[[UP:.*]] = burn.slice_update %[[X]], %[[W]] {starts = array<i64: 1>}
  %0 = burn.slice_update %x, %u {starts = array<i64: 2>} : tensor<6xf32>, tensor<2xf32>
  %1 = burn.slice_update %0, %w {starts = array<i64: 1>} : tensor<6xf32>, tensor<3xf32>
  // CHECK: %[[PAD:.*]] = burn.pad %[[U]], %[[V]] {high = array<i64: 2>, interior = array<i64: 0>, low = array<i64: 1>}
  %2 = burn.pad %u, %v {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 0>}
      : tensor<2xf32>, tensor<f32> to tensor<3xf32>
  %3 = burn.pad %2, %v {low = array<i64: 0>, high = array<i64: 2>, interior = array<i64: 0>}
      : tensor<3xf32>, tensor<f32> to tensor<5xf32>
  // CHECK: %[[CAT:.*]] = burn.concat %[[U]], %[[W]], %[[U]]
  %4 = burn.concat %u, %w {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %5 = burn.concat %4, %u {axis = 0} : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
  // CHECK: return %[[UP]], %[[PAD]], %[[CAT]]
  return %1, %3, %5 : tensor<6xf32>, tensor<5xf32>, tensor<7xf32>
}

// -----

// Tests that transposes around a product become its dimension numbers.
// CHECK-LABEL: @products
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<2x8xf32>)
func.func @products(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>) -> (tensor<4x2xf32>, tensor<2x4xf32>) {
  // CHECK: %[[Y:.*]] = burn.dot_general %[[X]], %[[W]] {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>}
  %t = burn.transpose %w {perm = array<i64: 1, 0>} : tensor<2x8xf32> to tensor<8x2xf32>
  %0 = burn.dot_general %x, %t {lhs_batch = array<i64>, rhs_batch = array<i64>,
      lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
  // CHECK: %[[Z:.*]] = burn.dot_general %[[W]], %[[X]] {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>}
  %1 = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>,
      lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>}
      : tensor<4x8xf32>, tensor<2x8xf32> to tensor<4x2xf32>
  %2 = burn.transpose %1 {perm = array<i64: 1, 0>} : tensor<4x2xf32> to tensor<2x4xf32>
  // CHECK: return %[[Y]], %[[Z]]
  return %0, %2 : tensor<4x2xf32>, tensor<2x4xf32>
}

// -----

// Tests that a transpose which would reorder the free dimensions of a product stays.
// CHECK-LABEL: @free_dims
func.func @free_dims(%x: tensor<4x5x8xf32>, %w: tensor<8x2xf32>) -> tensor<5x4x2xf32> {
  // CHECK: burn.transpose
  %t = burn.transpose %x {perm = array<i64: 1, 0, 2>} : tensor<4x5x8xf32> to tensor<5x4x8xf32>
  %0 = burn.dot_general %t, %w {lhs_batch = array<i64>, rhs_batch = array<i64>,
      lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>}
      : tensor<5x4x8xf32>, tensor<8x2xf32> to tensor<5x4x2xf32>
  return %0 : tensor<5x4x2xf32>
}

// -----

// Tests that a conversion which saturates on its way is kept apart from one that wraps.
// CHECK-LABEL: @saturating
// CHECK-SAME: (%[[I:.*]]: tensor<4xi32>, %[[H:.*]]: tensor<4xf16>)
func.func @saturating(%i: tensor<4xi32>, %h: tensor<4xf16>) -> (tensor<4xi8>, tensor<4xf64>) {
  // CHECK: burn.convert %[[I]] : tensor<4xi32> to tensor<4xf64>
  // CHECK: burn.convert %{{.*}} : tensor<4xf64> to tensor<4xi8>
  %0 = burn.convert %i : tensor<4xi32> to tensor<4xf64>
  %1 = burn.convert %0 : tensor<4xf64> to tensor<4xi8>
  // CHECK: burn.convert %[[H]] : tensor<4xf16> to tensor<4xf64>
  %2 = burn.convert %h : tensor<4xf16> to tensor<4xf32>
  %3 = burn.convert %2 : tensor<4xf32> to tensor<4xf64>
  return %1, %3 : tensor<4xi8>, tensor<4xf64>
}

// -----

// Tests that a sort takes along only what is read of it, and that lines of one element need none.
// CHECK-LABEL: @sort
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[J:.*]]: tensor<4x8xi64>, %[[Y:.*]]: tensor<4x1xf32>)
func.func @sort(%x: tensor<4x8xf32>, %j: tensor<4x8xi64>, %y: tensor<4x1xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xi64>, tensor<4x1xf32>) {
  // CHECK: %[[V:.*]] = burn.sort %[[X]] {axis = 0 : i64, descending = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %v, %i = burn.sort %x, %j {axis = 0, descending = true}
      : (tensor<4x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  // The first operand decides the order.
  // CHECK: %[[S:.*]]:2 = burn.sort %[[X]], %[[J]]
  %w, %k = burn.sort %x, %j {axis = 1, descending = false}
      : (tensor<4x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %z = burn.sort %y {axis = 1, descending = false} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK: return %[[V]], %[[S]]#1, %[[Y]]
  return %v, %k, %z : tensor<4x8xf32>, tensor<4x8xi64>, tensor<4x1xf32>
}

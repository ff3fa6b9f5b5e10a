// RUN: burn-opt %s --burn-fuse=convert-on-read=true | FileCheck %s
// RUN: burn-opt %s --burn-fuse | FileCheck %s --check-prefix=APART
// RUN: burn-opt %s --burn-fuse="convert-on-read=true enabled=false" | FileCheck %s --check-prefix=APART

// Tests that a product reads narrow operands and widens them itself, where nothing else needs the wide ones.
// CHECK-LABEL: @widened
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xi8>, %[[B:.*]]: tensor<8x2xi8>)
// CHECK-NEXT: burn.fused contraction (%[[A]], %[[B]]) : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x2xi32>
// CHECK-COUNT-2: burn.convert
// CHECK: burn.dot_general
// CHECK-NOT: burn.fused
// CHECK: return
// APART-LABEL: @widened
// APART-COUNT-2: burn.fused elementwise
// APART: burn.fused contraction (%{{.*}}, %{{.*}}) : (tensor<4x8xi32>, tensor<8x2xi32>) -> tensor<4x2xi32>
func.func @widened(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>) -> tensor<4x2xi32> {
  %x = burn.convert %a : tensor<4x8xi8> to tensor<4x8xi32>
  %y = burn.convert %b : tensor<8x2xi8> to tensor<8x2xi32>
  %c = burn.dot_general %x, %y {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x8xi32>, tensor<8x2xi32> to tensor<4x2xi32>
  return %c : tensor<4x2xi32>
}

// Tests that each product gets a conversion of its own, also beside one whose result is stored.
// CHECK-LABEL: @shared
// CHECK-SAME: (%[[A:.*]]: tensor<8x8xbf16>)
// CHECK: burn.fused elementwise (%[[A]]) : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK: burn.fused contraction (%[[A]]) : (tensor<8x8xbf16>) -> tensor<8x8xf32>
func.func @shared(%a: tensor<8x8xbf16>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %x = burn.convert %a : tensor<8x8xbf16> to tensor<8x8xf32>
  %c = burn.dot_general %x, %x {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
  return %c, %x : tensor<8x8xf32>, tensor<8x8xf32>
}

// Tests that a conversion which loses values stays a kernel: fractions here, negative numbers below.
// CHECK-LABEL: @narrowed
// CHECK: burn.fused elementwise
// CHECK: burn.fused contraction (%{{.*}}, %{{.*}}) : (tensor<4x8xi32>, tensor<8x2xi32>)
func.func @narrowed(%a: tensor<4x8xf32>, %b: tensor<8x2xi32>) -> tensor<4x2xi32> {
  %x = burn.convert %a : tensor<4x8xf32> to tensor<4x8xi32>
  %c = burn.dot_general %x, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x8xi32>, tensor<8x2xi32> to tensor<4x2xi32>
  return %c : tensor<4x2xi32>
}

// CHECK-LABEL: @negative
// CHECK: burn.fused elementwise
// CHECK: burn.fused contraction (%{{.*}}, %{{.*}}) : (tensor<4x8xui32>, tensor<8x2xui32>)
func.func @negative(%a: tensor<4x8xi8>, %b: tensor<8x2xui32>) -> tensor<4x2xui32> {
  %x = burn.convert %a : tensor<4x8xi8> to tensor<4x8xui32>
  %c = burn.dot_general %x, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x8xui32>, tensor<8x2xui32> to tensor<4x2xui32>
  return %c : tensor<4x2xui32>
}

// Tests that a conversion which a convolution would do once for each place of its window stays a kernel.
// CHECK-LABEL: @window
// CHECK: burn.fused elementwise
// CHECK: burn.fused contraction (%{{.*}}, %{{.*}}) : (tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>)
func.func @window(%a: tensor<1x2x8x8xi8>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %x = burn.convert %a : tensor<1x2x8x8xi8> to tensor<1x2x8x8xf32>
  %c = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,
      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
      feature_groups = 1, batch_groups = 1}
      : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32> to tensor<1x4x6x6xf32>
  return %c : tensor<1x4x6x6xf32>
}

// RUN: burn-opt %s --split-input-file --burn-hoist-frozen | FileCheck %s

// Tests that an operand of a product that is computed from a frozen argument is computed by the preparing function, as
// dequantized weights are, with the scale that is frozen too.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9_]*]]: tensor<4x8xf32>, %{{[a-z0-9_]*}}: tensor<8x16xi8> {burn.frozen}, %{{[a-z0-9_]*}}: tensor<16xf32> {burn.frozen},
// CHECK-SAME: %[[D:.*]]: tensor<8x16xf32> {burn.derived})
// CHECK-NEXT: %[[R:.*]] = burn.dot_general %[[X]], %[[D]]
// CHECK-NEXT: return %[[R]]
// CHECK-LABEL: func.func private @main_prepare(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32>, %[[W:.*]]: tensor<8x16xi8> {burn.frozen}, %[[S:.*]]: tensor<16xf32> {burn.frozen}) -> tensor<8x16xf32>
// CHECK-SAME: burn.prepares = @main
// CHECK: %[[V:.*]] = burn.convert %[[W]]
// CHECK: %[[B:.*]] = burn.broadcast %[[S]]
// CHECK: %[[M:.*]] = burn.mul %[[V]], %[[B]]
// CHECK: return %[[M]]
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xi8> {burn.frozen}, %s: tensor<16xf32> {burn.frozen})
    -> tensor<4x16xf32> {
  %v = burn.convert %w : tensor<8x16xi8> to tensor<8x16xf32>
  %b = burn.broadcast %s {dims = array<i64: 1>} : tensor<16xf32> to tensor<8x16xf32>
  %m = burn.mul %v, %b : tensor<8x16xf32>
  %r = burn.dot_general %x, %m {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x8xf32>, tensor<8x16xf32> to tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

// Tests that a transpose and what is costly are computed once for elementwise readers, while a broadcast, a slice and
// cheap arithmetic stay with the reader, and a broadcast behind what is costly as well.
// CHECK-LABEL: func.func @readers(
// CHECK-SAME: %[[D0:[a-z0-9_]*]]: tensor<8x4xf32> {burn.derived}, %[[D1:[a-z0-9_]*]]: tensor<8xf32> {burn.derived})
// CHECK: burn.slice
// CHECK: burn.broadcast %[[D1]]
// CHECK: burn.add %{{.*}}, %[[D0]]
// CHECK-LABEL: func.func private @readers_prepare(
// CHECK-NOT: burn.slice
// CHECK: %[[T:.*]] = burn.transpose
// CHECK-NOT: burn.broadcast
// CHECK: %[[E:.*]] = burn.exp
// CHECK: return %[[T]], %[[E]]
func.func @readers(%x: tensor<8x4xf32>, %w: tensor<4x8xf32> {burn.frozen}, %v: tensor<9xf32> {burn.frozen},
                   %u: tensor<8xf32> {burn.frozen}) -> tensor<8x4xf32> {
  %t = burn.transpose %w {perm = array<i64: 1, 0>} : tensor<4x8xf32> to tensor<8x4xf32>
  %s = burn.slice %v {starts = array<i64: 1>, sizes = array<i64: 8>, strides = array<i64: 1>} : tensor<9xf32> to tensor<8xf32>
  %c = burn.add %s, %s : tensor<8xf32>
  %d = burn.broadcast %c {dims = array<i64: 0>} : tensor<8xf32> to tensor<8x4xf32>
  %e = burn.exp %u : tensor<8xf32>
  %f = burn.broadcast %e {dims = array<i64: 0>} : tensor<8xf32> to tensor<8x4xf32>
  %0 = burn.add %x, %t : tensor<8x4xf32>
  %1 = burn.add %0, %d : tensor<8x4xf32>
  %2 = burn.add %1, %f : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// Tests that what a product converts as it reads stays there, and so does what would be more than four times as large.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: burn.derived
// CHECK-NOT: _prepare
func.func @narrow(%x: tensor<4x8xi8>, %w: tensor<8x16xi8> {burn.frozen}, %y: tensor<4x512x512xf32>,
                  %v: tensor<512xf32> {burn.frozen}) -> (tensor<4x16xi32>, tensor<4x512x512xf32>) {
  %a = burn.convert %x : tensor<4x8xi8> to tensor<4x8xi32>
  %b = burn.convert %w : tensor<8x16xi8> to tensor<8x16xi32>
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x8xi32>, tensor<8x16xi32> to tensor<4x16xi32>
  %c = burn.broadcast %v {dims = array<i64: 0>} : tensor<512xf32> to tensor<512x512xf32>
  %d = burn.broadcast %v {dims = array<i64: 1>} : tensor<512xf32> to tensor<512x512xf32>
  %e = burn.pow %c, %d : tensor<512x512xf32>
  %f = burn.broadcast %e {dims = array<i64: 1, 2>} : tensor<512x512xf32> to tensor<4x512x512xf32>
  %s = burn.add %y, %f : tensor<4x512x512xf32>
  return %r, %s : tensor<4x16xi32>, tensor<4x512x512xf32>
}

// -----

// Tests that the program itself computes what it returns, and that nothing moves without frozen arguments.
// CHECK-LABEL: func.func @returned(
// CHECK-NOT: burn.derived
// CHECK: burn.exp
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: burn.derived
func.func @returned(%w: tensor<8xf32> {burn.frozen}) -> tensor<4x2xf32> {
  %e = burn.exp %w : tensor<8xf32>
  %r = burn.reshape %e : tensor<8xf32> to tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
func.func @nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = burn.exp %x : tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

// Tests that the name of the preparing function gives way to one that is taken.
// CHECK-LABEL: func.func @main(
// CHECK-LABEL: func.func private @main_prepare_0(
// CHECK-SAME: burn.prepares = @main
// CHECK-LABEL: func.func @main_prepare(
func.func @main(%x: tensor<8xf32>, %w: tensor<8xf32> {burn.frozen}) -> tensor<8xf32> {
  %e = burn.exp %w : tensor<8xf32>
  %r = burn.add %x, %e : tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @main_prepare(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// Tests that operands of a product that are computed from constants are constants: bytes with a scale for each lane, and
// what is turned. What has other bits in code, such as an exponential, stays.
// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>)
// CHECK-NEXT: %[[W:.*]] = burn.constant dense<{{\[\[}}5.000000e-01, -4.000000e+00], [1.500000e+00, 8.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT: burn.dot_general %[[X]], %[[W]]
// CHECK-NEXT: %[[T:.*]] = burn.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK: %[[E:.*]] = burn.exp %[[T]]
// CHECK: burn.dot_general %{{.*}}, %[[E]]
// CHECK-NOT: _prepare
func.func @constants(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %b = burn.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
  %s = burn.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %f = burn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = burn.convert %b : tensor<2x2xi8> to tensor<2x2xf32>
  %l = burn.broadcast %s {dims = array<i64: 1>} : tensor<2xf32> to tensor<2x2xf32>
  %w = burn.mul %v, %l : tensor<2x2xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x2xf32>, tensor<2x2xf32> to tensor<4x2xf32>
  %t = burn.transpose %f {perm = array<i64: 1, 0>} : tensor<2x2xf32> to tensor<2x2xf32>
  %e = burn.exp %t : tensor<2x2xf32>
  %q = burn.dot_general %r, %e {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x2xf32>, tensor<2x2xf32> to tensor<4x2xf32>
  return %q : tensor<4x2xf32>
}

// -----

// Tests that what a loop computes from frozen arguments in each iteration is computed once.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[D:[a-z0-9]*]]: tensor<32x32xf32> {burn.derived})
// CHECK: burn.for {{.*}} invariants(%[[D]])
// CHECK-NOT: burn.convert
// CHECK: burn.dot_general
// CHECK-LABEL: func.func private @loop_prepare(
// CHECK: burn.convert
// CHECK: burn.mul
func.func @loop(%x: tensor<64x32xf32>, %w: tensor<32x32xi8> {burn.frozen}, %s: tensor<32xf32> {burn.frozen})
    -> tensor<64x32xf32> {
  %lo = burn.constant dense<0> : tensor<i64>
  %hi = burn.constant dense<3> : tensor<i64>
  %st = burn.constant dense<1> : tensor<i64>
  %r = burn.for %lo to %hi step %st (%x) invariants (%w, %s)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<64x32xf32>, tensor<32x32xi8>, tensor<32xf32>) -> tensor<64x32xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<64x32xf32>, %a: tensor<32x32xi8>, %b: tensor<32xf32>):
    %f = burn.convert %a : tensor<32x32xi8> to tensor<32x32xf32>
    %g = burn.broadcast %b {dims = array<i64: 1>} : tensor<32xf32> to tensor<32x32xf32>
    %h = burn.mul %f, %g : tensor<32x32xf32>
    %d = burn.dot_general %c, %h {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<64x32xf32>, tensor<32x32xf32> to tensor<64x32xf32>
    burn.yield %d : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}

// -----

// Tests that nothing above an op that may have other bits in code is folded, however exact it is itself.
// CHECK-LABEL: func.func @inexact(
// CHECK: burn.exp
// CHECK: burn.sin
// CHECK: burn.add
// CHECK: %[[S:.*]] = burn.add
// CHECK: burn.dot_general %{{.*}}, %[[S]]
func.func @inexact(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c = burn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %d = burn.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %e = burn.exp %c : tensor<2x2xf32>
  %i = burn.iota {dim = 0} : tensor<2x2xf32>
  %s = burn.sin %i : tensor<2x2xf32>
  %f = burn.add %e, %s : tensor<2x2xf32>
  %w = burn.add %f, %d : tensor<2x2xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x2xf32>, tensor<2x2xf32> to tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// Tests that constants that would be more than four times as large as what they are computed from stay as they are.
// CHECK-LABEL: func.func @outer(
// CHECK: burn.broadcast
// CHECK: burn.mul
// CHECK: burn.dot_general
func.func @outer(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %c = burn.constant dense<"0x0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F00000040"> : tensor<512xf32>
  %a = burn.broadcast %c {dims = array<i64: 0>} : tensor<512xf32> to tensor<512x512xf32>
  %b = burn.broadcast %c {dims = array<i64: 1>} : tensor<512xf32> to tensor<512x512xf32>
  %w = burn.mul %a, %b : tensor<512x512xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4x512xf32>, tensor<512x512xf32> to tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// RUN: burn-opt %s --split-input-file --canonicalize | FileCheck %s

// Tests that exact ops on constants are evaluated.
// CHECK-LABEL: @constants
func.func @constants() -> (tensor<2xf32>, tensor<2xi32>, tensor<2xi8>, tensor<2xi1>, tensor<3x2xi64>) {
  // CHECK-DAG: burn.constant dense<[5.000000e-01, 0.333333343]> : tensor<2xf32>
  // CHECK-DAG: burn.constant dense<[2, -2147483648]> : tensor<2xi32>
  // CHECK-DAG: burn.constant dense<[-1, -128]> : tensor<2xi8>
  // CHECK-DAG: burn.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG{LITERAL}: burn.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
  // CHECK-NOT: burn.div
  %one = burn.constant dense<1.0> : tensor<2xf32>
  %d = burn.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %q = burn.div %one, %d : tensor<2xf32>
  %big = burn.constant dense<[2.9, -1.0e10]> : tensor<2xf32>
  %i = burn.convert %big : tensor<2xf32> to tensor<2xi32>
  %a = burn.constant dense<[5, -128]> : tensor<2xi8>
  %b = burn.constant dense<[0, -1]> : tensor<2xi8>
  %total = burn.div %a, %b : tensor<2xi8>
  %less = burn.compare lt %one, %d : tensor<2xf32>
  %nan = burn.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %notnan = burn.compare eq %nan, %nan : tensor<2xf32>
  %m = burn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %t = burn.transpose %m {perm = array<i64: 1, 0>} : tensor<2x3xi64> to tensor<3x2xi64>
  return %q, %i, %total, %notnan, %t : tensor<2xf32>, tensor<2xi32>, tensor<2xi8>, tensor<2xi1>, tensor<3x2xi64>
}

// -----

// Tests that a splat is folded whatever its size, and moves as a splat.
// CHECK-LABEL: @splats
func.func @splats() -> (tensor<1024x1024xf32>, tensor<512xf32>) {
  // CHECK-DAG: burn.constant dense<3.000000e+00> : tensor<1024x1024xf32>
  // CHECK-DAG: burn.constant dense<2.000000e+00> : tensor<512xf32>
  %s = burn.constant dense<1.0> : tensor<f32>
  %b = burn.broadcast %s {dims = array<i64>} : tensor<f32> to tensor<1024x1024xf32>
  %two = burn.constant dense<2.0> : tensor<1024x1024xf32>
  %sum = burn.add %b, %two : tensor<1024x1024xf32>
  %part = burn.slice %two {starts = array<i64: 5, 0>, sizes = array<i64: 1, 512>, strides = array<i64: 1, 2>}
      : tensor<1024x1024xf32> to tensor<1x512xf32>
  %flat = burn.reshape %part : tensor<1x512xf32> to tensor<512xf32>
  return %sum, %flat : tensor<1024x1024xf32>, tensor<512xf32>
}

// -----

// Tests that transcendentals and sums are never folded: their bits are those of the target's code.
// CHECK-LABEL: @not_exact
func.func @not_exact() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %c = burn.constant dense<89.0> : tensor<f32>
  // CHECK: burn.exp
  %e = burn.exp %c : tensor<f32>
  // CHECK: burn.log
  %l = burn.log %e : tensor<f32>
  %v = burn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: burn.reduce sum
  %s = burn.reduce sum %v {dims = array<i64: 0>} : tensor<2xf32> to tensor<f32>
  return %e, %l, %s : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Tests that a constant of values is not blown up by its broadcast.
// CHECK-LABEL: @broadcast_values
func.func @broadcast_values() -> tensor<100x2xf32> {
  // CHECK: burn.broadcast
  %v = burn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = burn.broadcast %v {dims = array<i64: 1>} : tensor<2xf32> to tensor<100x2xf32>
  return %b : tensor<100x2xf32>
}

// -----

// Tests the identities of floats: x * 1, x / 1, x + (-0), x - (+0), -(-x).
// CHECK-LABEL: @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = burn.constant dense<1.0> : tensor<4xf32>
  %zero = burn.constant dense<0.0> : tensor<4xf32>
  %minus = burn.constant dense<-0.0> : tensor<4xf32>
  %0 = burn.mul %x, %one : tensor<4xf32>
  %1 = burn.div %0, %one : tensor<4xf32>
  %2 = burn.add %1, %minus : tensor<4xf32>
  %3 = burn.sub %2, %zero : tensor<4xf32>
  %4 = burn.neg %3 : tensor<4xf32>
  %5 = burn.neg %4 : tensor<4xf32>
  %6 = burn.mul %one, %5 : tensor<4xf32>
  %r = burn.relu %6 : tensor<4xf32>
  %rr = burn.relu %r : tensor<4xf32>
  // CHECK-NEXT: %[[R:.*]] = burn.relu %[[X]]
  // CHECK-NEXT: return %[[X]], %[[R]]
  return %6, %rr : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests what must stay: x + (+0) loses a minus sign, x * 0, x - x and x / x are NaN for some x.
// CHECK-LABEL: @no_identities
func.func @no_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %zero = burn.constant dense<0.0> : tensor<4xf32>
  %minus = burn.constant dense<-0.0> : tensor<4xf32>
  // CHECK: burn.add %{{.*}}, %{{.*}}
  %0 = burn.add %x, %zero : tensor<4xf32>
  // CHECK: burn.sub %{{.*}}, %{{.*}}
  %1 = burn.sub %x, %minus : tensor<4xf32>
  // CHECK: burn.mul %{{.*}}, %{{.*}}
  %2 = burn.mul %x, %zero : tensor<4xf32>
  // CHECK: burn.sub %{{.*}}, %{{.*}}
  %3 = burn.sub %x, %x : tensor<4xf32>
  // CHECK: burn.div %{{.*}}, %{{.*}}
  %4 = burn.div %x, %x : tensor<4xf32>
  // CHECK: burn.compare eq %{{.*}}, %{{.*}}
  %5 = burn.compare eq %x, %x : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// -----

// Tests the identities of integers, booleans and choices.
// CHECK-LABEL: @choices
// CHECK-SAME: (%[[I:.*]]: tensor<4xi32>, %[[P:.*]]: tensor<4xi1>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
func.func @choices(%i: tensor<4xi32>, %p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xi32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  // CHECK-DAG: %[[FALSE:.*]] = burn.constant dense<false>
  %zero = burn.constant dense<0> : tensor<4xi32>
  %0 = burn.add %i, %zero : tensor<4xi32>
  %1 = burn.or %0, %zero : tensor<4xi32>
  %true = burn.constant dense<true> : tensor<4xi1>
  %false = burn.constant dense<false> : tensor<4xi1>
  %2 = burn.and %p, %true : tensor<4xi1>
  %3 = burn.not %2 : tensor<4xi1>
  %4 = burn.not %3 : tensor<4xi1>
  %5 = burn.select %4, %a, %a : tensor<4xi1>, tensor<4xf32>
  %6 = burn.select %false, %a, %b : tensor<4xi1>, tensor<4xf32>
  %7 = burn.and %p, %false : tensor<4xi1>
  // CHECK: return %[[I]], %[[P]], %[[A]], %[[B]], %[[FALSE]]
  return %1, %4, %5, %6, %7 : tensor<4xi32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// -----

// Tests that the extrema of a value and itself are the value, and that xor with zeros on either side is the other operand,
// while xor with ones stays.
// CHECK-LABEL: @extrema_and_xor
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @extrema_and_xor(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = burn.constant dense<0> : tensor<4xi32>
  %ones = burn.constant dense<-1> : tensor<4xi32>
  %0 = burn.max %a, %a : tensor<4xf32>
  %1 = burn.min %b, %b : tensor<4xf32>
  // CHECK: %[[MAX:.*]] = burn.max %[[A]], %[[B]]
  %2 = burn.max %a, %b : tensor<4xf32>
  %3 = burn.xor %i, %zero : tensor<4xi32>
  %4 = burn.xor %zero, %i : tensor<4xi32>
  // CHECK: %[[XOR:.*]] = burn.xor %[[I]]
  %5 = burn.xor %i, %ones : tensor<4xi32>
  // CHECK: return %[[A]], %[[B]], %[[MAX]], %[[I]], %[[I]], %[[XOR]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// Tests that conversions there and back vanish where the middle type holds every value, and stay where not.
// CHECK-LABEL: @conversions
// CHECK-SAME: (%[[H:.*]]: tensor<4xf16>, %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @conversions(%h: tensor<4xf16>, %x: tensor<4xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf16>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = burn.convert %h : tensor<4xf16> to tensor<4xf32>
  %1 = burn.convert %0 : tensor<4xf32> to tensor<4xf16>
  // CHECK: burn.convert %[[X]] : tensor<4xf32> to tensor<4xf16>
  %2 = burn.convert %x : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[BACK:.*]] = burn.convert %{{.*}} : tensor<4xf16> to tensor<4xf32>
  %3 = burn.convert %2 : tensor<4xf16> to tensor<4xf32>
  %4 = burn.convert %i : tensor<4xi32> to tensor<4xf64>
  %5 = burn.convert %4 : tensor<4xf64> to tensor<4xi32>
  // CHECK: burn.convert %[[I]] : tensor<4xi32> to tensor<4xf32>
  %6 = burn.convert %i : tensor<4xi32> to tensor<4xf32>
  // CHECK: %[[LOST:.*]] = burn.convert %{{.*}} : tensor<4xf32> to tensor<4xi32>
  %7 = burn.convert %6 : tensor<4xf32> to tensor<4xi32>
  // CHECK: return %[[H]], %[[BACK]], %[[I]], %[[LOST]]
  return %1, %3, %5, %7 : tensor<4xf16>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// Tests that movements that move nothing vanish.
// CHECK-LABEL: @movement
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[U:.*]]: tensor<2x3xf32>
func.func @movement(%x: tensor<2x3xf32>, %u: tensor<2x3xf32>, %e: tensor<2x0xf32>, %v: tensor<f32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = burn.broadcast %x {dims = array<i64: 0, 1>} : tensor<2x3xf32> to tensor<2x3xf32>
  %1 = burn.reshape %0 : tensor<2x3xf32> to tensor<2x3xf32>
  %2 = burn.transpose %1 {perm = array<i64: 0, 1>} : tensor<2x3xf32> to tensor<2x3xf32>
  %3 = burn.slice %2 {starts = array<i64: 0, 0>, sizes = array<i64: 2, 3>, strides = array<i64: 1, 1>}
      : tensor<2x3xf32> to tensor<2x3xf32>
  %4 = burn.pad %3, %v {low = array<i64: 0, 0>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>}
      : tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>
  %5 = burn.concat %4, %e {axis = 1} : (tensor<2x3xf32>, tensor<2x0xf32>) -> tensor<2x3xf32>
  %6 = burn.reverse %5 {dims = array<i64: 1>} : tensor<2x3xf32>
  %7 = burn.reverse %6 {dims = array<i64: 1>} : tensor<2x3xf32>
  %8 = burn.slice_update %x, %u {starts = array<i64: 0, 0>} : tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: %[[SHIFTED:.*]] = burn.pad
  %9 = burn.pad %x, %v {low = array<i64: 0, 1>, high = array<i64: 0, -1>, interior = array<i64: 0, 0>}
      : tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>
  // CHECK-NEXT: return %[[X]], %[[U]], %[[SHIFTED]]
  return %7, %8, %9 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

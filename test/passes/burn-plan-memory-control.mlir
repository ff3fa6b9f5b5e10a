// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory | FileCheck %s

// Tests that the carried value of a loop lies in the result, that the body computes its next value in place, and that
// the index has a place in the arena.
// CHECK-LABEL: @in_place
// CHECK-SAME: burn.arena_bytes = 64 : i64
// CHECK: burn.for
// CHECK-SAME: burn.aside = array<i64: -1>, burn.index = 0 : i64, burn.place = [{result = 0 : i64}]
// CHECK: burn.fused
// CHECK-SAME: burn.place = [{result = 0 : i64}]
func.func @in_place(%n: tensor<i64>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = burn.for %n to %n step %n (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<8x8xf32>):
    %e = burn.exp %c : tensor<8x8xf32>
    burn.yield %e : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// Tests that a next value which is read at another place gets memory of its own, 256 bytes behind the index's 64.
// CHECK-LABEL: @not_in_place
// CHECK-SAME: burn.arena_bytes = 320 : i64
// CHECK: burn.for
// CHECK: burn.fused
// CHECK-SAME: burn.place = [{arena = 64 : i64}]
func.func @not_in_place(%n: tensor<i64>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = burn.for %n to %n step %n (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<8x8xf32>):
    %e = burn.transpose %c {perm = array<i64: 1, 0>} : tensor<8x8xf32> to tensor<8x8xf32>
    burn.yield %e : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// Tests that carried values which change places are set aside.
// CHECK-LABEL: @swap
// CHECK: burn.while
// CHECK-SAME: burn.aside = array<i64: {{[0-9]+}}, {{[0-9]+}}>
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = burn.while (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) cond {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %m = burn.reduce max %a {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
    %s = burn.reduce max %b {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
    %p = burn.compare lt %m, %s : tensor<f32>
    burn.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    burn.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that both branches write the result at its place and share the arena: each needs 256 bytes between two kernels.
// CHECK-LABEL: @branches
// CHECK-SAME: burn.arena_bytes = 256 : i64
// CHECK: burn.if
// CHECK-SAME: burn.place = [{result = 0 : i64}]
// CHECK: burn.fused
// CHECK-SAME: burn.place = [{arena = 0 : i64}]
// CHECK: burn.fused
// CHECK-SAME: burn.place = [{result = 0 : i64}]
// CHECK: burn.fused
// CHECK-SAME: burn.place = [{arena = 0 : i64}]
// CHECK: burn.fused
// CHECK-SAME: burn.place = [{result = 0 : i64}]
func.func @branches(%p: tensor<i1>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = burn.if %p (%x) : (tensor<8x8xf32>) -> tensor<8x8xf32> then {
  ^bb0(%a: tensor<8x8xf32>):
    %d = burn.exp %a : tensor<8x8xf32>
    %b = burn.barrier %d : tensor<8x8xf32>
    %e = burn.exp %b : tensor<8x8xf32>
    burn.yield %e : tensor<8x8xf32>
  } else {
  ^bb0(%a: tensor<8x8xf32>):
    %d = burn.tanh %a : tensor<8x8xf32>
    %b = burn.barrier %d : tensor<8x8xf32>
    %e = burn.tanh %b : tensor<8x8xf32>
    burn.yield %e : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

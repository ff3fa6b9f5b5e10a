// RUN: burn-opt %s --verify-roundtrip | FileCheck %s
// RUN: burn-opt %s --emit-bytecode | burn-opt | FileCheck %s

// Tests that ops with regions and markers print and parse, as text and as bytecode.

func.func private @squared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = burn.mul %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @branches
func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: burn.if %{{.*}} (%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> then {
  // CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>):
  // CHECK: %[[N:.*]] = burn.neg %[[A]]
  // CHECK: burn.yield %[[N]] : tensor<4xf32>
  // CHECK: } else {
  %r = burn.if %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then {
  ^bb0(%a: tensor<4xf32>):
    %n = burn.neg %a : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    burn.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @loops
func.func @loops(%lo: tensor<i64>, %hi: tensor<i64>, %one: tensor<i64>, %zero: tensor<4xf32>, %x: tensor<4xf32>,
                 %s: tensor<f32>, %limit: tensor<f32>) {
  // CHECK: burn.for %{{.*}} to %{{.*}} step %{{.*}} (%{{.*}}) invariants(%{{.*}}) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  %f = burn.for %lo to %hi step %one (%zero) invariants (%x)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<4xf32>, %a: tensor<4xf32>):
    %n = burn.add %c, %a : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  }
  // CHECK: burn.while (%{{.*}}) invariants(%{{.*}}) : (tensor<f32>, tensor<f32>) -> tensor<f32> cond {
  // CHECK: } do {
  %w = burn.while (%s) invariants (%limit) : (tensor<f32>, tensor<f32>) -> tensor<f32> cond {
  ^bb0(%c: tensor<f32>, %l: tensor<f32>):
    %p = burn.compare lt %c, %l : tensor<f32>
    burn.yield %p : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>, %l: tensor<f32>):
    %n = burn.add %c, %c : tensor<f32>
    burn.yield %n : tensor<f32>
  }
  return
}

// CHECK-LABEL: @called
func.func @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: burn.call @squared(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %r = burn.call @squared(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @differentiated
func.func @differentiated(%x: tensor<4xf32>, %k: tensor<i32>) {
  // CHECK: burn.checkpoint save_nothing (%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
  %c = burn.checkpoint save_nothing (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %t = burn.tanh %a : tensor<4xf32>
    burn.yield %t : tensor<4xf32>
  }
  // CHECK: burn.custom_vjp (%{{.*}}) captured(%{{.*}}) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32> forward {
  // CHECK: } vjp {
  %v = burn.custom_vjp (%x) captured (%k) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32> forward {
  ^bb0(%a: tensor<4xf32>, %b: tensor<i32>):
    %t = burn.relu %a : tensor<4xf32>
    burn.yield %t : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<4xf32>, %r: tensor<4xf32>, %g: tensor<4xf32>, %b: tensor<i32>):
    burn.yield %g : tensor<4xf32>
  }
  return
}

// CHECK-LABEL: @marks
func.func @marks(%x: tensor<4xf32>, %y: tensor<f32>) {
  // CHECK: burn.barrier %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<f32>
  %a, %b = burn.barrier %x, %y : tensor<4xf32>, tensor<f32>
  // CHECK: burn.name "hidden" %{{.*}} : tensor<4xf32>
  %h = burn.name "hidden" %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @checks
func.func @checks(%x: tensor<4xf32>, %p: tensor<i1>) {
  // CHECK: burn.assert "positive" %{{.*}}, %{{.*}} : tensor<4xf32>
  %a = burn.assert "positive" %p, %x : tensor<4xf32>
  // CHECK: burn.print "x" %{{.*}} : tensor<4xf32>
  %b = burn.print "x" %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @kernels
func.func @kernels(%x: tensor<4xf32>) {
  // CHECK: burn.custom_kernel "opaque" version 2 (%{{.*}}) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>){{$}}
  %o:2 = burn.custom_kernel "opaque" version 2 (%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  // CHECK: burn.custom_kernel "double" version 1 (%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> decomposition {
  %r = burn.custom_kernel "double" version 1 (%x) : (tensor<4xf32>) -> tensor<4xf32> decomposition {
  ^bb0(%a: tensor<4xf32>):
    %s = burn.add %a, %a : tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  }
  return
}

// RUN: burn-opt %s --burn-group-kernels --split-input-file | FileCheck %s
// RUN: burn-opt %s --burn-group-kernels --burn-plan-memory --split-input-file | FileCheck %s --check-prefix=PLAN

// Tests that a kernel joins those just before it that it does not wait for, and that one which does starts anew.
// CHECK-LABEL: func.func @independent
// CHECK: burn.fused elementwise (%{{[a-z0-9]*}}) :
// CHECK: burn.fused elementwise (%{{[a-z0-9]*}}) {burn.joins} :
// CHECK: burn.fused row ({{[^{]*}}) :
// CHECK: return
// PLAN-LABEL: func.func @independent
// PLAN: {burn.place = [{arena = 0 : i64}]}
// PLAN: {burn.joins, burn.place = [{arena = 64 : i64}]}
// PLAN: {burn.place = [{result = 0 : i64}]}
func.func @independent(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4xf32> {
  %a = burn.fused elementwise (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%in: tensor<4x4xf32>):
    %0 = burn.exp %in : tensor<4x4xf32>
    burn.yield %0 : tensor<4x4xf32>
  }
  %b = burn.fused elementwise (%y) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%in: tensor<4x4xf32>):
    %0 = burn.tanh %in : tensor<4x4xf32>
    burn.yield %0 : tensor<4x4xf32>
  }
  %s = burn.fused row (%a, %b) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%in: tensor<4x4xf32>, %in_0: tensor<4x4xf32>):
    %0 = burn.add %in, %in_0 : tensor<4x4xf32>
    %1 = burn.reduce sum %0 {dims = array<i64: 1>} : tensor<4x4xf32> to tensor<4xf32>
    burn.yield %1 : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}

// -----

// Tests that a reshape of a result is waited for as well.
// CHECK-LABEL: func.func @reshaped
// CHECK-NOT: burn.joins
func.func @reshaped(%x: tensor<4x4xf32>) -> tensor<16xf32> {
  %a = burn.fused elementwise (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%in: tensor<4x4xf32>):
    %0 = burn.exp %in : tensor<4x4xf32>
    burn.yield %0 : tensor<4x4xf32>
  }
  %f = burn.reshape %a : tensor<4x4xf32> to tensor<16xf32>
  %b = burn.fused elementwise (%f) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%in: tensor<16xf32>):
    %0 = burn.tanh %in : tensor<16xf32>
    burn.yield %0 : tensor<16xf32>
  }
  return %b : tensor<16xf32>
}

// -----

// Tests that an update which could overwrite a parameter does not join a kernel that reads the old one: it would need a
// new buffer.
// CHECK-LABEL: func.func @update
// CHECK-NOT: burn.joins
// PLAN-LABEL: func.func @update
// PLAN: {burn.place = [{result = 1 : i64}]}
// PLAN: {burn.place = [{arg = 0 : i64}]}
func.func @update(%w: tensor<8xf32> {burn.donated}, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %n = burn.fused row (%w) : (tensor<8xf32>) -> tensor<f32> {
  ^bb0(%in: tensor<8xf32>):
    %0 = burn.reduce sum %in {dims = array<i64: 0>} : tensor<8xf32> to tensor<f32>
    burn.yield %0 : tensor<f32>
  }
  %new = burn.fused elementwise (%w, %g) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%in: tensor<8xf32>, %in_0: tensor<8xf32>):
    %0 = burn.sub %in, %in_0 : tensor<8xf32>
    burn.yield %0 : tensor<8xf32>
  }
  return %new, %n : tensor<8xf32>, tensor<f32>
}

// -----

// Tests that a kernel of more than 32 MiB runs alone.
// CHECK-LABEL: func.func @large
// CHECK-NOT: burn.joins
func.func @large(%x: tensor<4194305xf32>, %y: tensor<4xf32>) -> (tensor<4194305xf32>, tensor<4xf32>) {
  %a = burn.fused elementwise (%x) : (tensor<4194305xf32>) -> tensor<4194305xf32> {
  ^bb0(%in: tensor<4194305xf32>):
    %0 = burn.exp %in : tensor<4194305xf32>
    burn.yield %0 : tensor<4194305xf32>
  }
  %b = burn.fused elementwise (%y) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%in: tensor<4xf32>):
    %0 = burn.tanh %in : tensor<4xf32>
    burn.yield %0 : tensor<4xf32>
  }
  return %a, %b : tensor<4194305xf32>, tensor<4xf32>
}

// -----

// Tests that kernels inside of a loop are grouped, and that the loop stands between those around it.
// CHECK-LABEL: func.func @loop
// CHECK: burn.for
// CHECK: burn.exp
// CHECK: burn.fused elementwise ({{.*}}) {burn.joins}
// CHECK: burn.fused
// CHECK-NOT: burn.joins
func.func @loop(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:2 = burn.for %n to %n step %n (%x, %y) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = burn.fused elementwise (%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%in: tensor<4xf32>):
      %2 = burn.exp %in : tensor<4xf32>
      burn.yield %2 : tensor<4xf32>
    }
    %1 = burn.fused elementwise (%b) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%in: tensor<4xf32>):
      %2 = burn.tanh %in : tensor<4xf32>
      burn.yield %2 : tensor<4xf32>
    }
    burn.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  %c = burn.fused elementwise (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%in: tensor<4xf32>):
    %2 = burn.neg %in : tensor<4xf32>
    burn.yield %2 : tensor<4xf32>
  }
  return %r#0, %r#1, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate --burn-simplify | FileCheck %s
// RUN: burn-opt %s --burn-differentiate --burn-simplify --burn-decompose --burn-fuse | FileCheck %s --check-prefix=FUSED

// Tests that nothing but the inputs crosses the barrier, and all ops run again.
// CHECK-LABEL: @nothing
// CHECK: %[[Y:.*]] = burn.dot_general
// CHECK: burn.tanh %[[Y]]
// CHECK: %[[B:.*]]:3 = burn.barrier %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK: %[[AGAIN:.*]] = burn.dot_general %[[B]]#0, %[[B]]#1
// CHECK-NEXT: burn.tanh %[[AGAIN]]
func.func @nothing(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = burn.checkpoint save_nothing (%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %y = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<4x4xf32>, tensor<4x4xf32> to tensor<4x4xf32>
    %t = burn.tanh %y : tensor<4x4xf32>
    burn.yield %t : tensor<4x4xf32>
  }
  %d = burn.grad(%r) cotangents(%g) wrt(%x) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %d : tensor<4x4xf32>, tensor<4x4xf32>
}

// Tests that the product crosses the barrier and is not computed again, and what follows on it is.
// CHECK-LABEL: @contractions
// CHECK: %[[Y:.*]] = burn.dot_general
// CHECK: burn.tanh %[[Y]]
// CHECK: %[[B:.*]]:4 = burn.barrier %{{.*}}, %{{.*}}, %{{.*}}, %[[Y]] :
// CHECK-NOT: burn.dot_general
// CHECK: burn.tanh %[[B]]#3
// CHECK: burn.dot_general {{.*}}, %[[B]]#1
// CHECK-NOT: burn.dot_general
// CHECK: return
func.func @contractions(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = burn.checkpoint save_contractions (%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %y = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<4x4xf32>, tensor<4x4xf32> to tensor<4x4xf32>
    %t = burn.tanh %y : tensor<4x4xf32>
    burn.yield %t : tensor<4x4xf32>
  }
  %d = burn.grad(%r) cotangents(%g) wrt(%x) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %d : tensor<4x4xf32>, tensor<4x4xf32>
}

// Tests that the named value is kept, so that neither the product nor the function in front of it runs again.
// CHECK-LABEL: @named
// CHECK: %[[T:.*]] = burn.tanh
// CHECK: %[[E:.*]] = burn.exp %[[T]]
// CHECK: %[[B:.*]]:4 = burn.barrier %{{.*}}, %{{.*}}, %{{.*}}, %[[T]] :
// CHECK-NOT: burn.tanh
// CHECK: burn.exp %[[B]]#3
// CHECK-NOT: burn.tanh
// CHECK: return
func.func @named(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = burn.checkpoint save_named (%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %y = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<4x4xf32>, tensor<4x4xf32> to tensor<4x4xf32>
    %t = burn.tanh %y : tensor<4x4xf32>
    %n = burn.name "hidden" %t : tensor<4x4xf32>
    %e = burn.exp %n : tensor<4x4xf32>
    burn.yield %e : tensor<4x4xf32>
  }
  %d = burn.grad(%r) cotangents(%g) wrt(%x) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %d : tensor<4x4xf32>, tensor<4x4xf32>
}

// Tests that nothing is kept behind what prints, which would run twice.
// CHECK-LABEL: @printed
// CHECK-COUNT-1: burn.print
// CHECK: burn.barrier %{{.*}}, %{{.*}}, %{{.*}} :
// FUSED-LABEL: @printed
func.func @printed(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = burn.checkpoint save_contractions (%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %p = burn.print "a" %a : tensor<4x4xf32>
    %y = burn.dot_general %p, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<4x4xf32>, tensor<4x4xf32> to tensor<4x4xf32>
    %t = burn.tanh %y : tensor<4x4xf32>
    burn.yield %t : tensor<4x4xf32>
  }
  %d = burn.grad(%r) cotangents(%g) wrt(%x) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %d : tensor<4x4xf32>, tensor<4x4xf32>
}

// RUN: burn-opt %s --split-input-file --canonicalize='test-convergence' | FileCheck %s

// Tests that a branch with a constant predicate is the region that it takes.
// CHECK-LABEL: @decided
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[N:.*]] = burn.neg %[[X]]
// CHECK-NEXT: return %[[N]], %[[X]]
func.func @decided(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %yes = burn.constant dense<true> : tensor<i1>
  %no = burn.constant dense<false> : tensor<i1>
  %r = burn.if %yes (%x) : (tensor<4xf32>) -> tensor<4xf32> then {
  ^bb0(%a: tensor<4xf32>):
    %n = burn.neg %a : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    burn.yield %a : tensor<4xf32>
  }
  %s = burn.if %no (%x) : (tensor<4xf32>) -> tensor<4xf32> then {
  ^bb0(%a: tensor<4xf32>):
    %n = burn.neg %a : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    burn.yield %a : tensor<4xf32>
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that results without users go with what computes them, and inputs that are not read; a result that is one input
// either way is that input; a constant moves inside.
// CHECK-LABEL: @smaller_if
// CHECK-SAME: (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = burn.if %[[P]] (%[[X]]) : (tensor<4xf32>) -> tensor<4xf32> then {
// CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>):
// CHECK: %[[C:.*]] = burn.constant dense<2.000000e+00>
// CHECK: burn.mul %[[A]], %[[C]]
// CHECK-NOT: burn.exp
// CHECK: return %[[R]], %[[Y]]
func.func @smaller_if(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = burn.constant dense<2.0> : tensor<4xf32>
  %r:3 = burn.if %p (%x, %y, %two) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) then {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %m = burn.mul %a, %c : tensor<4xf32>
    %e = burn.exp %b : tensor<4xf32>
    burn.yield %m, %e, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    burn.yield %a, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that a loop over an empty range gives its initial values, but one with a step that is an error stays.
// CHECK-LABEL: @no_iterations
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[KEPT:.*]] = burn.for
// CHECK: return %[[X]], %[[KEPT]]
func.func @no_iterations(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = burn.constant dense<0> : tensor<i64>
  %one = burn.constant dense<1> : tensor<i64>
  %r = burn.for %one to %one step %one (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<4xf32>):
    %n = burn.neg %c : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  }
  %s = burn.for %one to %one step %zero (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<4xf32>):
    %n = burn.neg %c : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that a loop that changes nothing goes only where its step is known not to be an error.
// CHECK-LABEL: @unchanged_for
// CHECK-SAME: (%[[N:.*]]: tensor<i64>, %[[X:.*]]: tensor<4xf32>)
// CHECK: %[[KEPT:.*]] = burn.for %{{.*}} to %[[N]] step %[[N]]
// CHECK-NOT: burn.for
// CHECK: return %[[KEPT]], %[[X]]
func.func @unchanged_for(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = burn.constant dense<1> : tensor<i64>
  %r = burn.for %one to %n step %n (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<4xf32>):
    burn.yield %c : tensor<4xf32>
  }
  %s = burn.for %one to %n step %one (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<4xf32>):
    burn.yield %c : tensor<4xf32>
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that a carried value that does not change becomes an invariant, and one that no used result depends on goes
// though it depends on itself.
// CHECK-LABEL: @smaller_for
// CHECK-SAME: (%[[N:.*]]: tensor<i64>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = burn.for %{{.*}} to %[[N]] step %{{.*}} (%[[X]]) invariants(%[[Y]])
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[C:.*]]: tensor<4xf32>, %[[A:.*]]: tensor<4xf32>):
// CHECK-NEXT: burn.add %[[C]], %[[A]]
// CHECK-NEXT: burn.yield
// CHECK: return %[[R]], %[[Y]]
func.func @smaller_for(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = burn.constant dense<0> : tensor<i64>
  %one = burn.constant dense<1> : tensor<i64>
  %r:3 = burn.for %zero to %n step %one (%x, %y, %x) invariants (%x)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<4xf32>, %d: tensor<4xf32>, %e: tensor<4xf32>, %unread: tensor<4xf32>):
    %s = burn.add %c, %d : tensor<4xf32>
    %t = burn.exp %e : tensor<4xf32>
    burn.yield %s, %d, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that what the condition needs stays, and that a loop whose condition is false at once does not.
// CHECK-LABEL: @smaller_while
// CHECK-SAME: (%[[X:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>)
// CHECK: %[[R:.*]]:2 = burn.while (%[[X]], %[[Y]])
// CHECK: return %[[R]]#1, %[[X]]
func.func @smaller_while(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:3 = burn.while (%x, %y, %y) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) cond {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
    %ten = burn.constant dense<10.0> : tensor<f32>
    %p = burn.compare lt %a, %ten : tensor<f32>
    burn.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
    %n = burn.add %a, %a : tensor<f32>
    %m = burn.add %b, %b : tensor<f32>
    %o = burn.add %c, %c : tensor<f32>
    burn.yield %n, %m, %o : tensor<f32>, tensor<f32>, tensor<f32>
  }
  %s = burn.while (%x) : (tensor<f32>) -> tensor<f32> cond {
  ^bb0(%a: tensor<f32>):
    %no = burn.constant dense<false> : tensor<i1>
    burn.yield %no : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    %n = burn.add %a, %a : tensor<f32>
    burn.yield %n : tensor<f32>
  }
  return %r#1, %s : tensor<f32>, tensor<f32>
}

// -----

// Tests that equal barriers are two, that a value behind one is none in front of it, and that one without users goes.
// CHECK-LABEL: @barriers
// CHECK-COUNT-2: burn.barrier
// CHECK-NOT: burn.barrier
func.func @barriers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = burn.neg %x : tensor<4xf32>
  %b = burn.barrier %a : tensor<4xf32>
  %c = burn.neg %b : tensor<4xf32>
  %d = burn.barrier %a : tensor<4xf32>
  %e = burn.barrier %x : tensor<4xf32>
  return %c, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that an assert of what is true is its operand, that others and prints stay, two of a kind too, and that those
// without users go; a print of a constant is none.
// CHECK-LABEL: @checks
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[P:[a-z0-9]+]]: tensor<i1>
// CHECK-DAG: %[[ONE:.*]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NOT: "true"
// CHECK-DAG: %[[A:.*]] = burn.assert "may fail" %[[P]], %[[X]]
// CHECK-DAG: %[[B:.*]] = burn.assert "may fail" %[[P]], %[[X]]
// CHECK-DAG: %[[C:.*]] = burn.print "one" %[[ONE]]
// CHECK-NOT: unused
// CHECK: return %[[X]], %[[A]], %[[B]], %[[C]]
func.func @checks(%x: tensor<4xf32>, %p: tensor<i1>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = burn.constant dense<true> : tensor<i1>
  %one = burn.constant dense<1.0> : tensor<4xf32>
  %t = burn.assert "true" %true, %x : tensor<4xf32>
  %a = burn.assert "may fail" %p, %x : tensor<4xf32>
  %b = burn.assert "may fail" %p, %x : tensor<4xf32>
  %c = burn.print "one" %one : tensor<4xf32>
  %d = burn.print "unused" %x : tensor<4xf32>
  %e = burn.assert "unused" %p, %x : tensor<4xf32>
  return %t, %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// RUN: burn-opt %s --split-input-file --burn-differentiate --burn-verify-stage=stage=differentiated | FileCheck %s

// Tests that `wrt` names a value, not what it computes: the gradient of sum(a * b) by a is b, although a and b are
// equal.

// CHECK-LABEL: func.func @inner_value(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[A:.+]] = burn.tanh %[[X]]
// CHECK:       %[[B:.+]] = burn.tanh %[[X]]
// CHECK:       %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[ONES:.+]] = burn.broadcast %[[ONE]]
// CHECK-NEXT:  %[[G:.+]] = burn.mul %[[ONES]], %[[B]]
// CHECK-NEXT:  return %[[G]]
func.func @inner_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = burn.tanh %x : tensor<4xf32>
  %b = burn.tanh %x : tensor<4xf32>
  %p = burn.mul %a, %b : tensor<4xf32>
  %s = burn.reduce sum %p {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
  %g = burn.grad(%s) wrt(%a) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// Tests that the contributions of several uses are added in program order, those of one op by operand.

// CHECK-LABEL: func.func @uses(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<f32>, %[[G:[a-z0-9]+]]: tensor<f32>
// CHECK:       %[[SQUARE:.+]] = burn.mul %[[X]], %[[X]]
// CHECK-NEXT:  %[[Y:.+]] = burn.div %[[SQUARE]], %[[X]]
// CHECK-NEXT:  %[[LEFT:.+]] = burn.div %[[G]], %[[X]]
// CHECK-NEXT:  %[[TIMES:.+]] = burn.mul %[[LEFT]], %[[Y]]
// CHECK-NEXT:  %[[RIGHT:.+]] = burn.neg %[[TIMES]]
// CHECK-NEXT:  %[[FIRST:.+]] = burn.mul %[[LEFT]], %[[X]]
// CHECK-NEXT:  %[[SECOND:.+]] = burn.mul %[[LEFT]], %[[X]]
// CHECK-NEXT:  %[[SUM:.+]] = burn.add %[[FIRST]], %[[SECOND]]
// CHECK-NEXT:  %[[ALL:.+]] = burn.add %[[SUM]], %[[RIGHT]]
// CHECK-NEXT:  return %[[ALL]]
func.func @uses(%x: tensor<f32>, %g: tensor<f32>) -> tensor<f32> {
  %square = burn.mul %x, %x : tensor<f32>
  %y = burn.div %square, %x : tensor<f32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Tests that a value that no output depends on has the gradient 0, also behind an integer and behind stop_gradient.

// CHECK-LABEL: func.func @unreached(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2xf32>, %[[Y:[a-z0-9]+]]: tensor<3xf32>, %[[Z:[a-z0-9]+]]: tensor<2xf32>, %[[G:[a-z0-9]+]]: tensor<2xf32>
// CHECK-DAG:   %[[Z2:.+]] = burn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-DAG:   %[[Z3:.+]] = burn.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK:       return %{{.+}}, %[[Z3]], %{{.+}} : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
func.func @unreached(%x: tensor<2xf32>, %y: tensor<3xf32>, %z: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) {
  %i = burn.convert %x : tensor<2xf32> to tensor<2xi32>
  %f = burn.convert %i : tensor<2xi32> to tensor<2xf32>
  %s = burn.stop_gradient %z : tensor<2xf32>
  %p = burn.mul %f, %s : tensor<2xf32>
  %r:3 = burn.grad(%p) cotangents(%g) wrt(%x, %y, %z)
    : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>)
    -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
}

// -----

// Tests that several outputs add up, that an output may itself be a `wrt` value, and that nothing is computed for the
// operand without a gradient.

// CHECK-LABEL: func.func @outputs(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<f32>, %[[B:[a-z0-9]+]]: tensor<f32>, %[[G:[a-z0-9]+]]: tensor<f32>, %[[H:[a-z0-9]+]]: tensor<f32>
// CHECK:       %[[P:.+]] = burn.mul %[[A]], %[[B]]
// CHECK-NEXT:  %[[Q:.+]] = burn.exp %[[P]]
// CHECK-NEXT:  %[[THROUGH:.+]] = burn.mul %[[H]], %[[Q]]
// CHECK-NEXT:  %[[CT:.+]] = burn.add %[[THROUGH]], %[[G]]
// CHECK-NEXT:  %[[R:.+]] = burn.mul %[[CT]], %[[B]]
// CHECK-NEXT:  return %[[R]], %[[CT]]
func.func @outputs(%a: tensor<f32>, %b: tensor<f32>, %g: tensor<f32>, %h: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %p = burn.mul %a, %b : tensor<f32>
  %q = burn.exp %p : tensor<f32>
  %r:2 = burn.grad(%p, %q) cotangents(%g, %h) wrt(%a, %p)
    : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

// Tests that a gradient of a gradient sees the ops of the inner reverse pass.

// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<f32>
// CHECK:       %[[Y:.+]] = burn.exp %[[X]]
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00>
// CHECK-NEXT:  %[[G:.+]] = burn.mul %[[ONE]], %[[Y]]
// CHECK-NEXT:  %[[ONE_1:.+]] = burn.constant dense<1.000000e+00>
// CHECK-NEXT:  %[[CT:.+]] = burn.mul %[[ONE_1]], %[[ONE]]
// CHECK-NEXT:  %[[H:.+]] = burn.mul %[[CT]], %[[Y]]
// CHECK-NEXT:  return %[[H]]
func.func @twice(%x: tensor<f32>) -> tensor<f32> {
  %y = burn.exp %x : tensor<f32>
  %g = burn.grad(%y) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %h = burn.grad(%g) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %h : tensor<f32>
}

// -----

// Tests that more than two terms of a 16-bit type are added in f32.

// CHECK-LABEL: func.func @half(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<f16>, %[[G:[a-z0-9]+]]: tensor<f16>
// CHECK-COUNT-3: burn.convert %[[G]] : tensor<f16> to tensor<f32>
// CHECK:         %[[SUM:.+]] = burn.add {{.+}} : tensor<f32>
// CHECK-NEXT:    %[[R:.+]] = burn.convert %[[SUM]] : tensor<f32> to tensor<f16>
// CHECK-NEXT:    return %[[R]]
func.func @half(%x: tensor<f16>, %g: tensor<f16>) -> tensor<f16> {
  %p = burn.add %x, %x : tensor<f16>
  %q = burn.add %p, %x : tensor<f16>
  %r = burn.grad(%q) cotangents(%g) wrt(%x) : (tensor<f16>, tensor<f16>, tensor<f16>) -> tensor<f16>
  return %r : tensor<f16>
}

// -----

// Tests that a composite without a rule of its own is decomposed where a gradient flows through it, and only there.
// CHECK-LABEL: func.func @decomposed
func.func @decomposed(%p: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<f64>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: burn.adamw_update
  // CHECK-NOT: burn.adamw_update
  // CHECK: burn.sqrt
  %a, %b, %c = burn.adamw_update %g, %g, %g, %g, %s, %s, %s
      {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<4xf32>
  %q, %n, %w = burn.adamw_update %p, %g, %g, %g, %s, %s, %s
      {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<4xf32>
  %r = burn.grad(%q) cotangents(%a) wrt(%p) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// Tests that a gradient inside of a region is taken of that region's ops.
// CHECK-LABEL: func.func @inside(
// CHECK: burn.if
// CHECK: ^bb0(%[[A:.+]]: tensor<f32>):
// CHECK: %[[E:.+]] = burn.exp %[[A]]
// CHECK: burn.mul %{{.+}}, %[[E]]
// CHECK-NOT: burn.grad
func.func @inside(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %r = burn.if %p (%x) : (tensor<f32>) -> tensor<f32> then {
  ^bb0(%a: tensor<f32>):
    %e = burn.exp %a : tensor<f32>
    %g = burn.grad(%e) wrt(%a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    burn.yield %g : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Tests that the reverse rule of a composite on a 16-bit type runs in f32.

// CHECK-LABEL: func.func @half_composite(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xbf16>, %[[G:[a-z0-9]+]]: tensor<2x3xbf16>
// CHECK-DAG:     %[[WIDE_X:.+]] = burn.convert %[[X]] : tensor<2x3xbf16> to tensor<2x3xf32>
// CHECK-DAG:     %[[Y:.+]] = burn.softmax %[[WIDE_X]] {axis = 1 : i64} : tensor<2x3xf32>
// CHECK-DAG:     %[[WIDE_G:.+]] = burn.convert %[[G]] : tensor<2x3xbf16> to tensor<2x3xf32>
// CHECK:         burn.mul %[[WIDE_G]], %[[Y]] : tensor<2x3xf32>
// CHECK:         %[[R:.+]] = burn.mul %[[Y]], %{{.+}} : tensor<2x3xf32>
// CHECK-NEXT:    %[[NARROW:.+]] = burn.convert %[[R]] : tensor<2x3xf32> to tensor<2x3xbf16>
// CHECK-NEXT:    return %[[NARROW]]
func.func @half_composite(%x: tensor<2x3xbf16>, %g: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %y = burn.softmax %x {axis = 1} : tensor<2x3xbf16>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2x3xbf16>, tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x3xbf16>
  return %r : tensor<2x3xbf16>
}

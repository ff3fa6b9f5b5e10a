// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that control flow and kernels which break a constraint are refused; functions are named for its code.

func.func @if_c1(%p: tensor<2xi1>, %x: tensor<f32>) {
  // expected-error@+1 {{'burn.if' op operand #0 must be boolean scalar tensor, but got 'tensor<2xi1>'}}
  %r = "burn.if"(%p, %x) ({
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  }) : (tensor<2xi1>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @if_c2(%p: tensor<i1>) {
  // expected-error@+1 {{'burn.if' op expects at least one result}}
  burn.if %p () : () -> () then {
    burn.yield
  } else {
    burn.yield
  }
  return
}

// -----

func.func @if_c3(%p: tensor<i1>, %x: tensor<f32>) {
  // expected-error@+1 {{'burn.if' op expects region 1 to have region arguments of types 'tensor<f32>', got 'tensor<f64>'}}
  %r = burn.if %p (%x) : (tensor<f32>) -> tensor<f32> then {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f64>):
    %c = burn.convert %a : tensor<f64> to tensor<f32>
    burn.yield %c : tensor<f32>
  }
  return
}

// -----

func.func @if_c4(%p: tensor<i1>, %x: tensor<f32>) {
  // expected-error@+1 {{'burn.if' op expects region 0 to have yielded values of types 'tensor<f32>', got 'tensor<f64>'}}
  %r = burn.if %p (%x) : (tensor<f32>) -> tensor<f32> then {
  ^bb0(%a: tensor<f32>):
    %c = burn.convert %a : tensor<f32> to tensor<f64>
    burn.yield %c : tensor<f64>
  } else {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @for_c1(%i: tensor<i64>, %j: tensor<i32>, %x: tensor<f32>) {
  // expected-error@+1 {{'burn.for' op expects bounds and step to be scalars of one type, i32 or i64, got i64[], i32[] and i64[]}}
  %r = burn.for %i to %j step %i (%x) : (tensor<i64>, tensor<i32>, tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%k: tensor<i64>, %c: tensor<f32>):
    burn.yield %c : tensor<f32>
  }
  return
}

// -----

func.func @for_c2(%i: tensor<i64>) {
  // expected-error@+1 {{'burn.for' op expects at least one carried value}}
  burn.for %i to %i step %i () : (tensor<i64>, tensor<i64>, tensor<i64>) -> () {
  ^bb0(%k: tensor<i64>):
    burn.yield
  }
  return
}

// -----

func.func @for_c3(%i: tensor<i64>, %x: tensor<f32>) {
  // expected-error@+1 {{'burn.for' op expects result 0 of the carried value's type f32[], got f64[]}}
  %r = burn.for %i to %i step %i (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>) -> tensor<f64> {
  ^bb0(%k: tensor<i64>, %c: tensor<f64>):
    burn.yield %c : tensor<f64>
  }
  return
}

// -----

func.func @for_c4(%i: tensor<i64>, %x: tensor<f32>) {
  // expected-error@+1 {{'burn.for' op expects region arguments of types 'tensor<i64>', 'tensor<f32>', got 'tensor<f32>'}}
  %r = burn.for %i to %i step %i (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>):
    burn.yield %c : tensor<f32>
  }
  return
}

// -----

func.func @for_c5(%i: tensor<i64>, %x: tensor<f32>) {
  // expected-error@+1 {{'burn.for' op expects yielded values of types 'tensor<f32>', got 'tensor<i64>'}}
  %r = burn.for %i to %i step %i (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%k: tensor<i64>, %c: tensor<f32>):
    burn.yield %k : tensor<i64>
  }
  return
}

// -----

func.func @while_c1() {
  // expected-error@+1 {{'burn.while' op expects at least one carried value}}
  burn.while () : () -> () cond {
    %p = burn.constant dense<false> : tensor<i1>
    burn.yield %p : tensor<i1>
  } do {
    burn.yield
  }
  return
}

// -----

func.func @while_c2(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.while' op expects a result for each of 1 carried values, got 2}}
  %r:2 = burn.while (%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>) cond {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %p = burn.constant dense<false> : tensor<i1>
    burn.yield %p : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    burn.yield %c, %d : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @while_c3(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.while' op expects region 1 to have region arguments of types 'tensor<f32>', got}}
  %r = burn.while (%x) : (tensor<f32>) -> tensor<f32> cond {
  ^bb0(%c: tensor<f32>):
    %p = burn.constant dense<false> : tensor<i1>
    burn.yield %p : tensor<i1>
  } do {
    %d = burn.constant dense<1.0> : tensor<f32>
    burn.yield %d : tensor<f32>
  }
  return
}

// -----

func.func @while_c4(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.while' op expects region 0 to have yielded values of types 'tensor<i1>', got 'tensor<f32>'}}
  %r = burn.while (%x) : (tensor<f32>) -> tensor<f32> cond {
  ^bb0(%c: tensor<f32>):
    burn.yield %c : tensor<f32>
  } do {
  ^bb0(%c: tensor<f32>):
    burn.yield %c : tensor<f32>
  }
  return
}

// -----

func.func @while_c5(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.while' op expects region 1 to have yielded values of types 'tensor<f32>', got 'tensor<f32>', 'tensor<f32>'}}
  %r = burn.while (%x) : (tensor<f32>) -> tensor<f32> cond {
  ^bb0(%c: tensor<f32>):
    %p = burn.constant dense<false> : tensor<i1>
    burn.yield %p : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>):
    burn.yield %c, %c : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @call_c1(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.call' op expects a function of the module with a body, got @missing}}
  %r = burn.call @missing(%x) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// expected-note@+1 {{see the callee}}
func.func @callee(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

func.func @call_c2(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.call' op expects a callee of type '(tensor<f32>) -> tensor<f32>', got '(tensor<f64>) -> tensor<f64>'}}
  %r = burn.call @callee(%x) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @checkpoint_c1() {
  // expected-error@+1 {{'burn.checkpoint' op expects at least one result}}
  burn.checkpoint save_nothing () : () -> () {
    burn.yield
  }
  return
}

// -----

func.func @checkpoint_c2(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.checkpoint' op expects region arguments of types 'tensor<f32>', got}}
  %r = burn.checkpoint save_nothing (%x) : (tensor<f32>) -> tensor<f32> {
    %c = burn.constant dense<1.0> : tensor<f32>
    burn.yield %c : tensor<f32>
  }
  return
}

// -----

func.func @checkpoint_c3(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.checkpoint' op expects yielded values of types 'tensor<f32>', got}}
  %r = burn.checkpoint save_nothing (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    burn.yield
  }
  return
}

// -----

func.func @custom_vjp_c1(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_vjp' op expects at least one result}}
  burn.custom_vjp (%x) : (tensor<f32>) -> () forward {
  ^bb0(%a: tensor<f32>):
    burn.yield
  } vjp {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @custom_vjp_c2(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_vjp' op expects region 0 to have region arguments of types 'tensor<f32>', got 'tensor<f32>', 'tensor<f32>'}}
  %r = burn.custom_vjp (%x) : (tensor<f32>) -> tensor<f32> forward {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    burn.yield %a : tensor<f32>
  } vjp {
  ^bb0(%a: tensor<f32>, %r: tensor<f32>, %g: tensor<f32>):
    burn.yield %g : tensor<f32>
  }
  return
}

// -----

func.func @custom_vjp_c3(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_vjp' op expects region 0 to have yielded values of types 'tensor<f32>', got}}
  %r = burn.custom_vjp (%x) : (tensor<f32>) -> tensor<f32> forward {
  ^bb0(%a: tensor<f32>):
    burn.yield
  } vjp {
  ^bb0(%a: tensor<f32>, %r: tensor<f32>, %g: tensor<f32>):
    burn.yield %g : tensor<f32>
  }
  return
}

// -----

// An integer has no cotangent.
func.func @custom_vjp_c4(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_vjp' op expects region 1 to have region arguments of types 'tensor<f32>', 'tensor<f32>', 'tensor<i32>', 'tensor<f32>', got}}
  %r:2 = burn.custom_vjp (%x) : (tensor<f32>) -> (tensor<f32>, tensor<i32>) forward {
  ^bb0(%a: tensor<f32>):
    %i = burn.convert %a : tensor<f32> to tensor<i32>
    burn.yield %a, %i : tensor<f32>, tensor<i32>
  } vjp {
  ^bb0(%a: tensor<f32>, %r: tensor<f32>, %i: tensor<i32>, %g: tensor<f32>, %h: tensor<i32>):
    burn.yield %g : tensor<f32>
  }
  return
}

// -----

func.func @custom_vjp_c5(%x: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'burn.custom_vjp' op expects region 1 to have yielded values of types 'tensor<f32>', got 'tensor<f32>', 'tensor<i32>'}}
  %r = burn.custom_vjp (%x, %i) : (tensor<f32>, tensor<i32>) -> tensor<f32> forward {
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    burn.yield %a : tensor<f32>
  } vjp {
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %r: tensor<f32>, %g: tensor<f32>):
    burn.yield %g, %b : tensor<f32>, tensor<i32>
  }
  return
}

// -----

func.func @barrier_c1() {
  // expected-error@+1 {{'burn.barrier' op expects at least one operand}}
  "burn.barrier"() : () -> ()
  return
}

// -----

func.func @assert_c1(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.assert' op expects a message that is not empty}}
  %r = burn.assert "" %p, %x : tensor<4xf32>
  return
}

// -----

func.func @assert_c2(%p: tensor<2xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.assert' op operand #0 must be boolean scalar tensor, but got 'tensor<2xi1>'}}
  %r = "burn.assert"(%p, %x) {message = "holds"} : (tensor<2xi1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @print_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.print' op expects a label that is not empty}}
  %r = burn.print "" %x : tensor<4xf32>
  return
}

// -----

func.func @name_c1(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.name' op expects a name that is not empty}}
  %r = burn.name "" %x : tensor<f32>
  return
}

// -----

func.func @custom_kernel_c1(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_kernel' op expects the name of a kernel}}
  %r = burn.custom_kernel "" version 1 (%x) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @custom_kernel_c2(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_kernel' op expects at least one result}}
  burn.custom_kernel "k" version 1 (%x) : (tensor<f32>) -> ()
  return
}

// -----

func.func @custom_kernel_c3(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_kernel' op expects region arguments of types 'tensor<f32>', got 'tensor<f64>'}}
  %r = burn.custom_kernel "k" version 1 (%x) : (tensor<f32>) -> tensor<f64> decomposition {
  ^bb0(%a: tensor<f64>):
    burn.yield %a : tensor<f64>
  }
  return
}

// -----

func.func @custom_kernel_c4(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.custom_kernel' op expects yielded values of types 'tensor<f64>', got 'tensor<f32>'}}
  %r = burn.custom_kernel "k" version 1 (%x) : (tensor<f32>) -> tensor<f64> decomposition {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  }
  return
}

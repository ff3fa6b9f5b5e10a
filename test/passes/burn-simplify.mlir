// RUN: burn-opt %s --burn-simplify --burn-verify-stage=stage=simplified | FileCheck %s

// Tests that stop_gradient goes, that equal ops merge across it, and that unused ops go.

// CHECK-LABEL: func.func @merge(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT:  %[[A:.+]] = burn.exp %[[X]]
// CHECK-NEXT:  %[[R:.+]] = burn.mul %[[A]], %[[A]]
// CHECK-NEXT:  return %[[R]]
func.func @merge(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = burn.exp %x : tensor<4xf32>
  %s = burn.stop_gradient %x : tensor<4xf32>
  %b = burn.exp %s : tensor<4xf32>
  %unused = burn.tanh %b : tensor<4xf32>
  %r = burn.mul %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Tests that draws with the same key, counter and ordinal are one, and with another ordinal are not.

// CHECK-LABEL: func.func @draws(
// CHECK-COUNT-2: burn.rng_bits
// CHECK-NOT:     burn.rng_bits
func.func @draws(%key: tensor<2xui32>, %counter: tensor<ui64>) -> (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>) {
  %a = burn.rng_bits %key, %counter {ordinal = 0} : tensor<4xui32>
  %b = burn.rng_bits %key, %counter {ordinal = 0} : tensor<4xui32>
  %c = burn.rng_bits %key, %counter {ordinal = 1} : tensor<4xui32>
  return %a, %b, %c : tensor<4xui32>, tensor<4xui32>, tensor<4xui32>
}

// Tests that a name, a checkpoint and a custom derivative leave what they compute, inside of control flow too.

// CHECK-LABEL: func.func @markers(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<f32>
// CHECK:       burn.if
// CHECK:       ^bb0(%[[A:.+]]: tensor<f32>):
// CHECK-NEXT:  %[[T:.+]] = burn.tanh %[[A]]
// CHECK-NEXT:  %[[E:.+]] = burn.exp %[[T]]
// CHECK-NEXT:  burn.yield %[[E]]
func.func @markers(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %r = burn.if %p (%x) : (tensor<f32>) -> tensor<f32> then {
  ^bb0(%a: tensor<f32>):
    %n = burn.name "in" %a : tensor<f32>
    %c = burn.checkpoint save_named (%n) : (tensor<f32>) -> tensor<f32> {
    ^bb0(%b: tensor<f32>):
      %t = burn.tanh %b : tensor<f32>
      burn.yield %t : tensor<f32>
    }
    %v = burn.custom_vjp (%c) : (tensor<f32>) -> tensor<f32> forward {
    ^bb0(%b: tensor<f32>):
      %e = burn.exp %b : tensor<f32>
      burn.yield %e : tensor<f32>
    } vjp {
    ^bb0(%b: tensor<f32>, %y: tensor<f32>, %g: tensor<f32>):
      burn.yield %g : tensor<f32>
    }
    burn.yield %v : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  }
  return %r : tensor<f32>
}

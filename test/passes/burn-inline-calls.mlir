// RUN: burn-opt %s --burn-inline-calls | FileCheck %s

// Tests that calls give way to their callees, in regions and through several levels, and that called private functions
// go.
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<i1>)
// CHECK: %[[S:.*]] = burn.mul %[[X]], %[[X]]
// CHECK: %[[F:.*]] = burn.mul %[[S]], %[[S]]
// CHECK: burn.if %[[P]] (%[[F]])
// CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>):
// CHECK: burn.mul %[[A]], %[[A]]
// CHECK-NOT: burn.call
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %f = burn.call @fourth(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = burn.if %p (%f) : (tensor<4xf32>) -> tensor<4xf32> then {
  ^bb0(%a: tensor<4xf32>):
    %s = burn.call @square(%a) : (tensor<4xf32>) -> tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    burn.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

func.func private @fourth(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = burn.call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = burn.call @square(%s) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = burn.mul %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the gradient is what the vjp region says of operands, results and cotangents, though it be no derivative of
// the forward region; that integers have no part in it; and that the vjp is itself differentiated.

// CHECK-LABEL: func.func @custom(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[K:[a-z0-9]+]]: tensor<4xi32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.custom_vjp (%[[X]], %[[K]])
// CHECK:       } vjp {
// CHECK:       }
// CHECK:       %[[P:.+]] = burn.mul %[[G]], %[[Y]]
// CHECK-NEXT:  return %[[P]]
func.func @custom(%x: tensor<4xf32>, %k: tensor<4xi32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = burn.custom_vjp (%x, %k) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32> forward {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xi32>):
    %t = burn.tanh %a : tensor<4xf32>
    burn.yield %t : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xi32>, %r: tensor<4xf32>, %ct: tensor<4xf32>):
    %p = burn.mul %ct, %r : tensor<4xf32>
    burn.yield %p : tensor<4xf32>
  }
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<f32>
// CHECK:       burn.custom_vjp (%[[X]])
// CHECK:       %[[ONE:.+]] = burn.constant dense<1.000000e+00>
// CHECK:       burn.exp %[[X]]
// CHECK:       burn.mul %[[ONE]]
// CHECK:       return
func.func @twice(%x: tensor<f32>) -> tensor<f32> {
  %y = burn.custom_vjp (%x) : (tensor<f32>) -> tensor<f32> forward {
  ^bb0(%a: tensor<f32>):
    burn.yield %a : tensor<f32>
  } vjp {
  ^bb0(%a: tensor<f32>, %r: tensor<f32>, %ct: tensor<f32>):
    %e = burn.exp %a : tensor<f32>
    %p = burn.mul %ct, %e : tensor<f32>
    burn.yield %p : tensor<f32>
  }
  %first = burn.grad(%y) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %second = burn.grad(%first) wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %second : tensor<f32>
}

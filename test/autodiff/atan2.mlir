// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.atan2 gives g b / r^2 and -g a / r^2, and 0 at the origin and infinitely far away.

// CHECK-LABEL: func.func @atan2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       burn.atan2 %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[LENGTH:.+]] = burn.hypot %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:  %[[TURN:.+]] = burn.div %[[G]], %[[LENGTH]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[INFINITY:.+]] = burn.constant dense<0x7F800000> : tensor<4xf32>
// CHECK-DAG:   %[[ORIGIN:.+]] = burn.compare eq %[[LENGTH]], %[[ZERO]] : tensor<4xf32>
// CHECK-DAG:   %[[FAR:.+]] = burn.compare eq %[[LENGTH]], %[[INFINITY]] : tensor<4xf32>
// CHECK:       %[[STILL:.+]] = burn.or %{{.+}}, %{{.+}} : tensor<4xi1>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[B]], %[[LENGTH]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[TURN]], %[[DIV]] : tensor<4xf32>
// CHECK-NEXT:  %[[S:.+]] = burn.select %[[STILL]], %[[ZERO]], %[[MUL]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[DIV_1:.+]] = burn.div %[[A]], %[[LENGTH]] : tensor<4xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[TURN]], %[[DIV_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[NEG:.+]] = burn.neg %[[MUL_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[T:.+]] = burn.select %[[STILL]], %[[ZERO]], %[[NEG]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  return %[[S]], %[[T]] : tensor<4xf32>, tensor<4xf32>
func.func @atan2(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = burn.atan2 %a, %b : tensor<4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%a, %b)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.arg_reduce gives the cotangent to the element at the index.

// CHECK-LABEL: func.func @arg_reduce(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2xf32>
// CHECK:       %[[Y:.+]], %[[I:.+]] = burn.arg_reduce max %[[X]] {axis = 1 : i64} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi64>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[G]] {dims = array<i64: 0>} : tensor<2xf32> to tensor<2x3xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 1 : i64} : tensor<2x3xi64>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[I]] {dims = array<i64: 0>} : tensor<2xi64> to tensor<2x3xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[IOTA]], %[[BROADCAST_1]] : tensor<2x3xi64>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[BROADCAST]], %[[ZERO]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:  return %[[SELECT]] : tensor<2x3xf32>
func.func @arg_reduce(%x: tensor<2x3xf32>, %g: tensor<2xf32>)
    -> tensor<2x3xf32> {
  %y, %i = burn.arg_reduce max %x {axis = 1} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi64>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<2xf32>, tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.cross_entropy gives g (softmax(x) - onehot(t)) / n for the examples that count,
// and NaN where the target is no class.

// CHECK-LABEL: func.func @mean(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x3xf32>, %[[T:[a-z0-9]+]]: tensor<4xi64>, %[[G:[a-z0-9]+]]: tensor<f32>
// CHECK:       %[[Y:.+]] = burn.cross_entropy mean %[[X]], %[[T]] {axis = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.000000e+00 : f64} : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<f32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 1 : i64} : tensor<4x3xi64>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[T]] {dims = array<i64: 0>} : tensor<4xi64> to tensor<4x3xi64>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[IOTA]], %[[BROADCAST]] : tensor<4x3xi64>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<-100> : tensor<4xi64>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare ne %[[T]], %[[C]] : tensor<4xi64>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE_1]], %[[ONE]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[SELECT]] {dims = array<i64: 0>} : tensor<4xf32> to tensor<f32>
// CHECK-NEXT:  %[[DIV:.+]] = burn.div %[[G]], %[[REDUCE]] : tensor<f32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[DIV]] {dims = array<i64>} : tensor<f32> to tensor<4xf32>
// CHECK-NEXT:  %[[FIRST:.+]] = burn.constant dense<0> : tensor<4xi64>
// CHECK-NEXT:  %[[GE:.+]] = burn.compare ge %[[T]], %[[FIRST]] : tensor<4xi64>
// CHECK-NEXT:  %[[CLASSES:.+]] = burn.constant dense<3> : tensor<4xi64>
// CHECK-NEXT:  %[[LT:.+]] = burn.compare lt %[[T]], %[[CLASSES]] : tensor<4xi64>
// CHECK-NEXT:  %[[IS_CLASS:.+]] = burn.and %[[GE]], %[[LT]] : tensor<4xi1>
// CHECK-NEXT:  %[[NAN:.+]] = burn.constant dense<0x7FC00000> : tensor<4xf32>
// CHECK-NEXT:  %[[OR_NAN:.+]] = burn.select %[[IS_CLASS]], %[[BROADCAST_1]], %[[NAN]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[COMPARE_1]], %[[OR_NAN]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SOFTMAX:.+]] = burn.softmax %[[X]] {axis = 1 : i64} : tensor<4x3xf32>
// CHECK-NEXT:  %[[ONE_1:.+]] = burn.constant dense<1.000000e+00> : tensor<4x3xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[SOFTMAX]], %[[ONE_1]] : tensor<4x3xf32>
// CHECK-NEXT:  %[[SELECT_2:.+]] = burn.select %[[COMPARE]], %[[SUB]], %[[SOFTMAX]] : tensor<4x3xi1>, tensor<4x3xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[SELECT_1]] {dims = array<i64: 0>} : tensor<4xf32> to tensor<4x3xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[BROADCAST_2]], %[[SELECT_2]] : tensor<4x3xf32>
// CHECK-NEXT:  return %[[MUL]] : tensor<4x3xf32>
func.func @mean(%x: tensor<4x3xf32>, %t: tensor<4xi64>, %g: tensor<f32>)
    -> tensor<4x3xf32> {
  %y = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64} : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<f32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<f32>, tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @weighted(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x3xf32>, %[[T:[a-z0-9]+]]: tensor<4xi32>, %[[W:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK:       %[[Y:.+]] = burn.cross_entropy none %[[X]], %[[T]], %[[W]] {axis = 1 : i64, ignore_index = -100 : i64, label_smoothing = 1.000000e-01 : f64} : (tensor<4x3xf32>, tensor<4xi32>, tensor<3xf32>) -> tensor<4xf32>
// CHECK-NEXT:  %[[IOTA:.+]] = burn.iota {dim = 1 : i64} : tensor<4x3xi32>
// CHECK-NEXT:  %[[BROADCAST:.+]] = burn.broadcast %[[T]] {dims = array<i64: 0>} : tensor<4xi32> to tensor<4x3xi32>
// CHECK-NEXT:  %[[COMPARE:.+]] = burn.compare eq %[[IOTA]], %[[BROADCAST]] : tensor<4x3xi32>
// CHECK-NEXT:  %[[C:.+]] = burn.constant dense<-100> : tensor<4xi64>
// CHECK-NEXT:  %[[CONVERT:.+]] = burn.convert %[[T]] : tensor<4xi32> to tensor<4xi64>
// CHECK-NEXT:  %[[COMPARE_1:.+]] = burn.compare ne %[[CONVERT]], %[[C]] : tensor<4xi64>
// CHECK-NEXT:  %[[ZERO:.+]] = burn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[ONE:.+]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:  %[[BROADCAST_1:.+]] = burn.broadcast %[[W]] {dims = array<i64: 1>} : tensor<3xf32> to tensor<4x3xf32>
// CHECK-NEXT:  %[[ZERO_1:.+]] = burn.constant dense<0.000000e+00> : tensor<4x3xf32>
// CHECK-NEXT:  %[[SELECT:.+]] = burn.select %[[COMPARE]], %[[BROADCAST_1]], %[[ZERO_1]] : tensor<4x3xi1>, tensor<4x3xf32>
// CHECK-NEXT:  %[[REDUCE:.+]] = burn.reduce sum %[[SELECT]] {dims = array<i64: 1>} : tensor<4x3xf32> to tensor<4xf32>
// CHECK-NEXT:  %[[FIRST:.+]] = burn.constant dense<0> : tensor<4xi64>
// CHECK-NEXT:  %[[GE:.+]] = burn.compare ge %[[CONVERT]], %[[FIRST]] : tensor<4xi64>
// CHECK-NEXT:  %[[CLASSES:.+]] = burn.constant dense<3> : tensor<4xi64>
// CHECK-NEXT:  %[[LT:.+]] = burn.compare lt %[[CONVERT]], %[[CLASSES]] : tensor<4xi64>
// CHECK-NEXT:  %[[IS_CLASS:.+]] = burn.and %[[GE]], %[[LT]] : tensor<4xi1>
// CHECK-NEXT:  %[[NAN:.+]] = burn.constant dense<0x7FC00000> : tensor<4xf32>
// CHECK-NEXT:  %[[OR_NAN:.+]] = burn.select %[[IS_CLASS]], %[[G]], %[[NAN]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SELECT_1:.+]] = burn.select %[[COMPARE_1]], %[[OR_NAN]], %[[ZERO]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT:  %[[SOFTMAX:.+]] = burn.softmax %[[X]] {axis = 1 : i64} : tensor<4x3xf32>
// CHECK-NEXT:  %[[C_1:.+]] = burn.constant dense<0.899999976> : tensor<4xf32>
// CHECK-NEXT:  %[[MUL:.+]] = burn.mul %[[REDUCE]], %[[C_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[ZERO_2:.+]] = burn.constant dense<0.000000e+00> : tensor<4x3xf32>
// CHECK-NEXT:  %[[C_2:.+]] = burn.constant dense<0.0333333351> : tensor<4x3xf32>
// CHECK-NEXT:  %[[MUL_1:.+]] = burn.mul %[[BROADCAST_1]], %[[C_2]] : tensor<4x3xf32>
// CHECK-NEXT:  %[[REDUCE_1:.+]] = burn.reduce sum %[[MUL_1]] {dims = array<i64: 1>} : tensor<4x3xf32> to tensor<4xf32>
// CHECK-NEXT:  %[[ADD:.+]] = burn.add %[[MUL]], %[[REDUCE_1]] : tensor<4xf32>
// CHECK-NEXT:  %[[BROADCAST_2:.+]] = burn.broadcast %[[MUL]] {dims = array<i64: 0>} : tensor<4xf32> to tensor<4x3xf32>
// CHECK-NEXT:  %[[ADD_1:.+]] = burn.add %[[MUL_1]], %[[BROADCAST_2]] : tensor<4x3xf32>
// CHECK-NEXT:  %[[SELECT_2:.+]] = burn.select %[[COMPARE]], %[[ADD_1]], %[[MUL_1]] : tensor<4x3xi1>, tensor<4x3xf32>
// CHECK-NEXT:  %[[BROADCAST_3:.+]] = burn.broadcast %[[ADD]] {dims = array<i64: 0>} : tensor<4xf32> to tensor<4x3xf32>
// CHECK-NEXT:  %[[MUL_2:.+]] = burn.mul %[[SOFTMAX]], %[[BROADCAST_3]] : tensor<4x3xf32>
// CHECK-NEXT:  %[[SUB:.+]] = burn.sub %[[MUL_2]], %[[SELECT_2]] : tensor<4x3xf32>
// CHECK-NEXT:  %[[BROADCAST_4:.+]] = burn.broadcast %[[SELECT_1]] {dims = array<i64: 0>} : tensor<4xf32> to tensor<4x3xf32>
// CHECK-NEXT:  %[[MUL_3:.+]] = burn.mul %[[BROADCAST_4]], %[[SUB]] : tensor<4x3xf32>
// CHECK-NEXT:  return %[[MUL_3]] : tensor<4x3xf32>
func.func @weighted(%x: tensor<4x3xf32>, %t: tensor<4xi32>, %w: tensor<3xf32>, %g: tensor<4xf32>)
    -> tensor<4x3xf32> {
  %y = burn.cross_entropy none %x, %t, %w {axis = 1, ignore_index = -100, label_smoothing = 0.1 : f64} : (tensor<4x3xf32>, tensor<4xi32>, tensor<3xf32>) -> tensor<4xf32>
  %r = burn.grad(%y) cotangents(%g) wrt(%x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

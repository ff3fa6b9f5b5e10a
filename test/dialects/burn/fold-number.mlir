// RUN: burn-opt %s --split-input-file --canonicalize | FileCheck %s

// Tests that exact ops on constants are evaluated: remainders with both roundings, also at 0 and -1.
// CHECK-LABEL: @constants
func.func @constants() -> (tensor<4xi32>, tensor<4xi32>, tensor<3xf32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi1>) {
  // CHECK-DAG: burn.constant dense<[2, -2, 0, 5]> : tensor<4xi32>
  // CHECK-DAG: burn.constant dense<[-1, 1, 0, 5]> : tensor<4xi32>
  // CHECK-DAG: burn.constant dense<[-2.500000e+00, 1.000000e+00, 0x{{[7F]}}FC00000]> : tensor<3xf32>
  // CHECK-DAG: burn.constant dense<[-3, -3, -2, -1]> : tensor<4xi32>
  // CHECK-DAG: burn.constant dense<[1065353216, -2147483648]> : tensor<2xi32>
  // CHECK-DAG: burn.constant dense<[false, true]> : tensor<2xi1>
  // CHECK-NEXT: return
  %a = burn.constant dense<[-7, 7, -6, 5]> : tensor<4xi32>
  %b = burn.constant dense<[3, -3, 3, 0]> : tensor<4xi32>
  %0 = burn.rem floor %a, %b : tensor<4xi32>
  %1 = burn.rem trunc %a, %b : tensor<4xi32>
  %x = burn.constant dense<[-5.5, 7.0, 1.0]> : tensor<3xf32>
  %y = burn.constant dense<[3.0, -3.0, 0.0]> : tensor<3xf32>
  %2 = burn.rem trunc %x, %y : tensor<3xf32>
  %3 = burn.floor_div %a, %b : tensor<4xi32>
  %f = burn.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %4 = burn.bitcast %f : tensor<2xf32> to tensor<2xi32>
  %n = burn.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %5 = burn.is_nan %n : tensor<2xf32>
  return %0, %1, %2, %3, %4, %5
      : tensor<4xi32>, tensor<4xi32>, tensor<3xf32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi1>
}

// -----

// Tests that elementary functions of constants stay: their bits are those of the target's code. (A fold of atan2(0, 0)
// gave NaN.)
// CHECK-LABEL: @not_exact
func.func @not_exact() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = burn.constant dense<0.0> : tensor<f32>
  // CHECK: burn.atan2
  %0 = burn.atan2 %zero, %zero : tensor<f32>
  // CHECK: burn.sin
  %1 = burn.sin %zero : tensor<f32>
  // CHECK: burn.powi
  %2 = burn.powi %zero {exponent = 3} : tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Tests identities: x^1, a / 1, shifts by 0, bits there and back.
// CHECK-LABEL: @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @identities(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %one = burn.constant dense<1> : tensor<4xi32>
  %zero = burn.constant dense<0> : tensor<4xi32>
  %0 = burn.powi %x {exponent = 1} : tensor<4xf32>
  %1 = burn.bitcast %0 : tensor<4xf32> to tensor<4xui32>
  %2 = burn.bitcast %1 : tensor<4xui32> to tensor<4xf32>
  %3 = burn.floor_div %i, %one : tensor<4xi32>
  %4 = burn.shl %3, %zero : tensor<4xi32>
  %5 = burn.shr %4, %zero : tensor<4xi32>
  %6 = burn.bitcast %5 : tensor<4xi32> to tensor<4xi32>
  // CHECK-NEXT: return %[[X]], %[[I]]
  return %2, %6 : tensor<4xf32>, tensor<4xi32>
}

// -----

// Tests that x^0 is 1, also where x is NaN, and that chains of bitcasts become one.
// CHECK-LABEL: @shorter
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @shorter(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: %[[ONE:.*]] = burn.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK-NEXT: %[[BITS:.*]] = burn.bitcast %[[X]] : tensor<4xf32> to tensor<4xi32>
  // CHECK-NEXT: return %[[ONE]], %[[BITS]]
  %0 = burn.powi %x {exponent = 0} : tensor<4xf32>
  %1 = burn.bitcast %x : tensor<4xf32> to tensor<4xui32>
  %2 = burn.bitcast %1 : tensor<4xui32> to tensor<4xi32>
  return %0, %2 : tensor<4xf32>, tensor<4xi32>
}

// -----

// Tests what must stay: rounding to a narrower type loses bits, a / -1 may wrap.
// CHECK-LABEL: @no_identities
func.func @no_identities(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %minus = burn.constant dense<-1> : tensor<4xi32>
  // CHECK: burn.reduce_precision
  %0 = burn.reduce_precision %x {type = bf16} : tensor<4xf32>
  // CHECK: burn.floor_div
  %1 = burn.floor_div %i, %minus : tensor<4xi32>
  return %0, %1 : tensor<4xf32>, tensor<4xi32>
}

// RUN: burn-opt %s --split-input-file --burn-decompose --verify-diagnostics

// Tests that what a decomposition builds on the way to a small result is refused where it is too large for any tensor,
// at the op that it stands for.

func.func @interpolate(%x: tensor<512x1099511627776xf32>) -> tensor<512x1xf32> {
  // 2^45 by 2^40 elements once the first dimension is resampled.
  // expected-error@+1 {{'burn.interpolate' op is computed by way of 'tensor<35184372088832x1099511627776xf32>', which is too large}}
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 35184372088832, 1>, scales = array<f64: 68719476736.0, 1.0>,
      cubic_coeff = -0.75 : f64} : tensor<512x1099511627776xf32> to tensor<35184372088832x1xf32>
  %s = burn.slice %r {starts = array<i64: 0, 0>, sizes = array<i64: 512, 1>, strides = array<i64: 1, 1>} : tensor<35184372088832x1xf32> to tensor<512x1xf32>
  return %s : tensor<512x1xf32>
}

// -----

// Tests that coordinates which do not fit into the numbers that they are computed in are refused.

func.func @coordinates(%x: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
  // expected-error@+1 {{'burn.interpolate' op has no decomposition}}
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 1099511627776>, scales = array<f64: 1.0>,
      cubic_coeff = -0.75 : f64} : tensor<1099511627776xf32> to tensor<1099511627776xf32>
  return %r : tensor<1099511627776xf32>
}

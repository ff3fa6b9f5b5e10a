// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that ops that move data which break a constraint are refused; functions are named for its code.

func.func @broadcast_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{'burn.broadcast' op expects dims to have 1 entries, got 2}}
  %r = burn.broadcast %x {dims = array<i64: 0, 1>} : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.broadcast' op expects dims ascending within rank 2, got [1, 0]}}
  %r = burn.broadcast %x {dims = array<i64: 1, 0>} : tensor<2x3xf32> to tensor<3x2xf32>
  return
}

// -----

func.func @broadcast_c2_rank(%x: tensor<3xf32>) {
  // expected-error@+1 {{'burn.broadcast' op expects dims ascending within rank 2, got [2]}}
  %r = burn.broadcast %x {dims = array<i64: 2>} : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c3(%x: tensor<3xf32>) {
  // expected-error@+1 {{'burn.broadcast' op cannot broadcast [3] to [2, 3]: dimension 0 is 3, expected 1 or 2}}
  %r = burn.broadcast %x {dims = array<i64: 0>} : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.reshape' op cannot reshape [2, 3] (6 elements) to [5]}}
  %r = burn.reshape %x : tensor<2x3xf32> to tensor<5xf32>
  return
}

// -----

func.func @reshape_c1_element(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.reshape' op expects equal element types, got f32[2, 3] and i32[6]}}
  %r = burn.reshape %x : tensor<2x3xf32> to tensor<6xi32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.transpose' op expects perm to be a permutation of 2 dimensions, got [1, 1]}}
  %r = burn.transpose %x {perm = array<i64: 1, 1>} : tensor<2x3xf32> to tensor<3x3xf32>
  return
}

// -----

func.func @transpose_result(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.transpose' op expects result 0 of type 'tensor<3x2xf32>', got 'tensor<2x3xf32>'}}
  %r = burn.transpose %x {perm = array<i64: 1, 0>} : tensor<2x3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<5xf32>) {
  // expected-error@+1 {{'burn.slice' op expects starts to have 1 entries, got 2}}
  %r = burn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 2>, strides = array<i64: 1>} : tensor<5xf32> to tensor<2xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<5xf32>) {
  // expected-error@+1 {{'burn.slice' op expects starts and sizes >= 0 and strides >= 1, got start 0, size 2, stride 0 in dimension 0}}
  %r = burn.slice %x {starts = array<i64: 0>, sizes = array<i64: 2>, strides = array<i64: 0>} : tensor<5xf32> to tensor<2xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<5xf32>) {
  // expected-error@+1 {{'burn.slice' op slice of 3 elements from 1 in steps of 2 leaves dimension 0 of [5]}}
  %r = burn.slice %x {starts = array<i64: 1>, sizes = array<i64: 3>, strides = array<i64: 2>} : tensor<5xf32> to tensor<3xf32>
  return
}

// -----

func.func @slice_update_c1(%x: tensor<5xf32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{'burn.slice_update' op expects starts to have 1 entries, got 2}}
  %r = burn.slice_update %x, %u {starts = array<i64: 0, 0>} : tensor<5xf32>, tensor<2xf32>
  return
}

// -----

func.func @slice_update_c2(%x: tensor<5xf32>, %u: tensor<2xi32>) {
  // expected-error@+1 {{'burn.slice_update' op expects equal element types, got f32[5] and i32[2]}}
  %r = burn.slice_update %x, %u {starts = array<i64: 0>} : tensor<5xf32>, tensor<2xi32>
  return
}

// -----

func.func @slice_update_c3(%x: tensor<5xf32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{'burn.slice_update' op update of shape [2] at [4] leaves dimension 0 of [5]}}
  %r = burn.slice_update %x, %u {starts = array<i64: 4>} : tensor<5xf32>, tensor<2xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'burn.pad' op expects low to have 1 entries, got 0}}
  %r = burn.pad %x, %v {low = array<i64>, high = array<i64: 0>, interior = array<i64: 0>} : tensor<3xf32>, tensor<f32> to tensor<3xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'burn.pad' op expects interior padding >= 0 and padding below 2^40, got interior -1, low 0, high 0}}
  %r = burn.pad %x, %v {low = array<i64: 0>, high = array<i64: 0>, interior = array<i64: -1>} : tensor<3xf32>, tensor<f32> to tensor<1xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'burn.pad' op padding dimension 0 of [3] gives an impossible size}}
  %r = burn.pad %x, %v {low = array<i64: -2>, high = array<i64: -2>, interior = array<i64: 0>} : tensor<3xf32>, tensor<f32> to tensor<0xf32>
  return
}

// -----

func.func @pad_c4(%x: tensor<3xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{'burn.pad' op expects a scalar f32 as padding value, got f32[1]}}
  %r = burn.pad %x, %v {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 0>} : tensor<3xf32>, tensor<1xf32> to tensor<4xf32>
  return
}

// -----

func.func @concat_c1() {
  // expected-error@+1 {{'burn.concat' op expects at least one operand}}
  %r = burn.concat {axis = 0} : () -> tensor<5xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<2xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{'burn.concat' op expects equal element types, got f32[2] and f64[3]}}
  %r = burn.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<3xf64>) -> tensor<5xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{'burn.concat' op expects axis within rank 1, got 1}}
  %r = burn.concat %a {axis = 1} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat_c4(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'burn.concat' op cannot concatenate [2, 3] and [2, 4] along dimension 0}}
  %r = burn.concat %a, %b {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @reverse_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{'burn.reverse' op expects dims ascending within rank 1, got [1]}}
  %r = burn.reverse %x {dims = array<i64: 1>} : tensor<3xf32>
  return
}

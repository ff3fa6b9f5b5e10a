// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that sorting and searching which break a constraint are refused; functions are named for its code.

func.func @sort_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.sort' op expects}}
  %v = burn.sort %x {axis = 2, descending = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sort_c2(%x: tensor<2x3xf32>, %j: tensor<3x2xi64>) {
  // expected-error@+1 {{'burn.sort' op expects operands of one shape, got f32[2, 3] and i64[3, 2]}}
  %v, %i = burn.sort %x, %j {axis = 1, descending = false} : (tensor<2x3xf32>, tensor<3x2xi64>) -> (tensor<2x3xf32>, tensor<3x2xi64>)
  return
}

// -----

func.func @sort_nothing() {
  // expected-error@+1 {{'burn.sort' op expects a tensor to sort}}
  burn.sort {axis = 0, descending = false} : () -> ()
  return
}

// -----

func.func @topk_c1(%x: tensor<f32>) {
  // expected-error@+1 {{'burn.topk' op expects}}
  %v, %i = burn.topk %x {axis = 0, k = 0, largest = true} : tensor<f32> to tensor<f32>, tensor<i64>
  return
}

// -----

func.func @topk_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.topk' op expects k between 0 and 3, the size of dimension 1, got 4}}
  %v, %i = burn.topk %x {axis = 1, k = 4, largest = true} : tensor<2x3xf32> to tensor<2x4xf32>, tensor<2x4xi64>
  return
}

// -----

func.func @nonzero_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.nonzero' op expects a max_count that is not negative, got -1}}
  %i, %n = burn.nonzero %x {max_count = -1} : tensor<2x3xf32> to tensor<0x2xi64>, tensor<i64>
  return
}

// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that scans which break a constraint are refused; functions are named for its code.

func.func @scan_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.scan' op expects}}
  %r = burn.scan sum %x {axis = -1, exclusive = false, reverse = false} : tensor<2x3xf32>
  return
}

// -----

func.func @scan_boolean(%x: tensor<2x3xi1>) {
  // expected-error@+1 {{'burn.scan' op operand #0 must be}}
  %r = burn.scan sum %x {axis = 1, exclusive = false, reverse = false} : tensor<2x3xi1>
  return
}

// -----

func.func @linear_scan_c1(%a: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.linear_scan' op expects}}
  %r = burn.linear_scan %a, %x {axis = 2, reverse = false} : tensor<2x3xf32>
  return
}

// -----

func.func @moments_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.moments' op expects dims ascending within rank 2, got [1, 0]}}
  %m, %v = burn.moments %x {dims = array<i64: 1, 0>, correction = 1} : tensor<2x3xf32>
  return
}

// -----

func.func @moments_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.moments' op expects a correction that is not negative, got -1}}
  %m, %v = burn.moments %x {dims = array<i64: 1>, correction = -1} : tensor<2x3xf32>
  return
}

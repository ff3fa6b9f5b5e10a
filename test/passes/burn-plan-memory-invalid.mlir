// RUN: burn-opt %s --burn-plan-memory --verify-diagnostics

// Tests that every op must have its kernel.
func.func @bare(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{stands outside of a burn.fused; run burn-fuse first}}
  %y = burn.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

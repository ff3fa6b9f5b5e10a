// RUN: burn-opt %s --burn-fuse --verify-diagnostics

// Tests that control flow is refused.
// expected-error@+1 {{expects a body of one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

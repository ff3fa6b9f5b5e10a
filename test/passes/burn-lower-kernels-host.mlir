// RUN: burn-opt %s --burn-fuse --burn-plan-memory --burn-lower-kernels=scalar --split-input-file --verify-diagnostics

// Tests that what only the host can do is an error at the op where the target is no CPU.

func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{ends a program in its course, which a GPU cannot}}
  %r = burn.assert "holds" %p, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{prints on the host, which a GPU cannot}}
  %r = burn.print "x" %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

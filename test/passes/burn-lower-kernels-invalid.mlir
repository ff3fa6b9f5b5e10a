// RUN: burn-opt %s --burn-lower-kernels --split-input-file --verify-diagnostics
// RUN: not burn-opt %s --burn-fuse --burn-plan-memory --burn-lower-kernels=cpu=no-such 2>&1 | FileCheck %s

// Tests that memory must be planned first.
// expected-error@+1 {{expects one function whose memory is planned}}
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// Tests that a CPU of no such name is refused, where LLVM would go on with another one.
// CHECK: burn-lower-kernels-invalid.mlir:6:1: error: {{.*}}no-such

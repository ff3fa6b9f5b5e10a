// RUN: burn-opt %s --burn-graph-pipeline --burn-lower-kernels=cpu=x86-64-v4 | FileCheck %s

// Tests that functions which do not wait for each other share a loop, and that short rows have no blocks.
// CHECK-NOT: memref.alloca
func.func @apart(%x: tensor<10000xf32>, %y: tensor<1000xf32>) -> (tensor<10000xf32>, tensor<1000xf32>) {
  %a = burn.tanh %x : tensor<10000xf32>
  %b = burn.exp %x : tensor<10000xf32>
  %r = burn.add %a, %b : tensor<10000xf32>
  %c = burn.exp %y : tensor<1000xf32>
  %d = burn.erf %c : tensor<1000xf32>
  return %r, %d : tensor<10000xf32>, tensor<1000xf32>
}

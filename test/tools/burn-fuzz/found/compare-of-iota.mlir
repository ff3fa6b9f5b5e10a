// Positions of 64 bits compared with a constant, as in a causal mask: Mesa 22 took a comparison of what is extended from
// the number of an invocation for one that never holds.

// REQUIRES: vulkan
// RUN: burn-fuzz --device vulkan %s
// RUN: burn-run --device vulkan %s | FileCheck %s
// CHECK: 1 1 1 0 0 0 0
// CHECK: 0 0 0 0 1 1 1

func.func @main() -> (tensor<7xi1>, tensor<7xi1>) {
  %i = burn.iota {dim = 0} : tensor<7xi64>
  %c = burn.constant dense<3> : tensor<7xi64>
  %l = burn.compare lt %i, %c : tensor<7xi64>
  %g = burn.compare gt %i, %c : tensor<7xi64>
  return %l, %g : tensor<7xi1>, tensor<7xi1>
}

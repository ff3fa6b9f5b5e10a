// The largest of 8294 negative numbers, six times: on a GPU the last block of a row is shorter than a workgroup, whose
// other invocations go through no element. What they gave once was whatever a register held.

// REQUIRES: vulkan
// RUN: burn-fuzz --device vulkan %s
// RUN: burn-run --device vulkan %s | FileCheck %s
// CHECK: -707 -707 -707 -707 -707 -707

func.func @main() -> tensor<6xf32> {
  %i = burn.iota {dim = 1} : tensor<6x8294xf32>
  %c = burn.constant dense<-9000.0> : tensor<6x8294xf32>
  %x = burn.add %i, %c : tensor<6x8294xf32>
  %m = burn.reduce max %x {dims = array<i64: 1>} : tensor<6x8294xf32> to tensor<6xf32>
  return %m : tensor<6xf32>
}

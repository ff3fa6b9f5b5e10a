// RUN: burn-opt %s --burn-graph-pipeline --burn-lower-kernels=cpu=x86-64-v4 | FileCheck %s

// Tests that functions of functions run one after the other over a block, whose values in between stay on the stack.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: %[[FIRST:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
// CHECK: %[[SECOND:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[FIRST]]
// CHECK: scf.for
// CHECK: vector.load %[[FIRST]]
// CHECK: vector.store %{{.*}}, %[[SECOND]]
// CHECK: scf.for
// CHECK: vector.load %[[SECOND]]
// CHECK: vector.store
// CHECK-NOT: vector.store %{{.*}}, %[[FIRST]]
func.func @chain(%x: tensor<10000xf32>) -> tensor<10000xf32> {
  %a = burn.tanh %x : tensor<10000xf32>
  %b = burn.exp %a : tensor<10000xf32>
  %c = burn.erf %b : tensor<10000xf32>
  %r = burn.add %c, %x : tensor<10000xf32>
  return %r : tensor<10000xf32>
}

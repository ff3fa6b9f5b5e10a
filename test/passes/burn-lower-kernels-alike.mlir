// RUN: split-file %s %t
// RUN: burn-opt %t/small.mlir --burn-plan-memory --burn-lower-kernels | FileCheck %t/small.mlir
// RUN: burn-opt %t/large.mlir --burn-cpu-pipeline | FileCheck %t/large.mlir

//--- small.mlir

// Tests that kernels which differ in nothing but their buffers share one function, and that another constant inside, or
// another order of operands, makes another.

// CHECK: burn.launches = [
// CHECK-SAME: func = @kernel_0,
// CHECK-SAME: func = @kernel_0,
// CHECK-SAME: func = @kernel_2,
// CHECK-SAME: func = @kernel_3,
// CHECK-NOT: @kernel_1
func.func @main(%x: tensor<100xf32>, %y: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) {
  %first = burn.fused elementwise (%x, %y) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
  ^bb0(%l: tensor<100xf32>, %r: tensor<100xf32>):
    %c = burn.constant dense<2.0> : tensor<100xf32>
    %d = burn.sub %l, %r : tensor<100xf32>
    %m = burn.mul %d, %c : tensor<100xf32>
    burn.yield %m : tensor<100xf32>
  }
  %second = burn.fused elementwise (%y, %first) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
  ^bb0(%l: tensor<100xf32>, %r: tensor<100xf32>):
    %c = burn.constant dense<2.0> : tensor<100xf32>
    %d = burn.sub %l, %r : tensor<100xf32>
    %m = burn.mul %d, %c : tensor<100xf32>
    burn.yield %m : tensor<100xf32>
  }
  %third = burn.fused elementwise (%y, %first) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
  ^bb0(%l: tensor<100xf32>, %r: tensor<100xf32>):
    %c = burn.constant dense<3.0> : tensor<100xf32>
    %d = burn.sub %l, %r : tensor<100xf32>
    %m = burn.mul %d, %c : tensor<100xf32>
    burn.yield %m : tensor<100xf32>
  }
  %fourth = burn.fused elementwise (%y, %first) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
  ^bb0(%l: tensor<100xf32>, %r: tensor<100xf32>):
    %c = burn.constant dense<2.0> : tensor<100xf32>
    %d = burn.sub %r, %l : tensor<100xf32>
    %m = burn.mul %d, %c : tensor<100xf32>
    burn.yield %m : tensor<100xf32>
  }
  return %first, %second, %third, %fourth : tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>
}

//--- large.mlir
// Tests that kernels which run on several threads share the function of their tasks, too.

// CHECK: llvm.func internal @kernel_0(
// CHECK-NOT: @kernel_1(
// CHECK: llvm.func {{.*}}@kernel_0_task(
// CHECK-NOT: llvm.func {{.*}}_task(
func.func @main(%x: tensor<200000xf32>, %y: tensor<200000xf32>) -> (tensor<200000xf32>, tensor<200000xf32>) {
  %first = burn.sub %x, %y : tensor<200000xf32>
  %stop = burn.barrier %first : tensor<200000xf32>
  %second = burn.sub %y, %stop : tensor<200000xf32>
  return %first, %second : tensor<200000xf32>, tensor<200000xf32>
}

// RUN: burn-opt %s --burn-fuse --burn-tile-matmul="cpu=x86-64-v4" --burn-group-kernels --burn-plan-memory --burn-lower-kernels="cpu=x86-64-v4" | FileCheck %s
// RUN: burn-opt %s --burn-cpu-pipeline="cpu=x86-64-v4" | FileCheck %s --check-prefix=ENTRY

// Tests that the tasks of a product, which take longer than those of the sum beside it, come first and count as several
// in the loop that threads share.
// CHECK: burn.launches = [
// CHECK-SAME: {together = [{{[{].*}} func = @kernel_1, tasks = {{[0-9]+}} : i64, weight = [[W:([2-9]|[1-9][0-9]+)]] : i64},
// CHECK-SAME: func = @kernel_0, tasks = {{[0-9]+}} : i64, weight = 1 : i64}]}

// The first of the units of a task runs it.
// ENTRY-LABEL: llvm.func internal @group_0_task(
// ENTRY: llvm.sdiv
// ENTRY: llvm.intr.smax
// ENTRY: llvm.sdiv
// ENTRY: llvm.intr.smin
// ENTRY: llvm.call @kernel_1(
// ENTRY-NOT: llvm.sdiv
// ENTRY: llvm.call @kernel_0(
func.func @main(%x: tensor<100000xf32>, %a: tensor<512x512xf32>, %b: tensor<512x512xf32>)
    -> (tensor<100000xf32>, tensor<512x512xf32>) {
  %e = burn.exp %x : tensor<100000xf32>
  %p = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<512x512xf32>, tensor<512x512xf32> to tensor<512x512xf32>
  return %e, %p : tensor<100000xf32>, tensor<512x512xf32>
}

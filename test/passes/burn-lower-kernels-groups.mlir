// RUN: burn-opt %s --burn-fuse --burn-group-kernels --burn-plan-memory --burn-lower-kernels | FileCheck %s
// RUN: burn-opt %s --burn-cpu-pipeline | FileCheck %s --check-prefix=ENTRY

// Tests that independent kernels are one step of the plan, with memory of their own for partial results, and that those
// which are small together run where they are.
// CHECK: burn.launches = [
// CHECK-SAME: {together = [{buffers = [{buffer = 0 : i64}, {buffer = 2 : i64}], func = @kernel_0, tasks = [[#A:]] : i64, weight = 1 : i64},
// CHECK-SAME: {buffers = [{buffer = 1 : i64}, {buffer = 3 : i64}], func = @kernel_1, tasks = [[#B:]] : i64, weight = 1 : i64}]}
// CHECK-SAME: func = @kernel_2, inline
// CHECK-SAME: func = @kernel_3, inline

// One loop runs the tasks of the first kernel, then those of the second.
// ENTRY-LABEL: llvm.func internal @group_0_task(
// ENTRY-SAME: %[[BUFFERS:[a-z0-9]*]]: !llvm.ptr, %[[BEGIN:[a-z0-9]*]]: i64, %[[END:[a-z0-9]*]]: i64)
// ENTRY: %[[NONE:.*]] = llvm.mlir.constant(0 : i64)
// ENTRY: %[[A:.*]] = llvm.intr.smax(
// ENTRY: %[[LAST:.*]] = llvm.intr.smin(
// ENTRY: llvm.icmp "slt" %[[A]], %[[LAST]]
// ENTRY: llvm.cond_br
// ENTRY: llvm.call @kernel_0(%[[A]], %[[LAST]],
// ENTRY: %[[C:.*]] = llvm.intr.smax(
// ENTRY: %[[D:.*]] = llvm.intr.smin(
// ENTRY: llvm.call @kernel_1(%[[C]], %[[D]],
// ENTRY-LABEL: llvm.func @burn_run(
// ENTRY: llvm.call @burn_parallel_for
// ENTRY-NOT: llvm.call @burn_parallel_for
// ENTRY: llvm.call @kernel_2
// ENTRY: llvm.call @kernel_3
func.func @main(%x: tensor<100000xf32>, %y: tensor<90000xf32>)
    -> (tensor<100000xf32>, tensor<90000xf32>, tensor<4xf32>, tensor<8xf32>) {
  %a = burn.exp %x : tensor<100000xf32>
  %b = burn.tanh %y : tensor<90000xf32>
  %s = burn.slice %a {starts = array<i64: 8>, sizes = array<i64: 4>, strides = array<i64: 1>} : tensor<100000xf32> to tensor<4xf32>
  %t = burn.slice %b {starts = array<i64: 8>, sizes = array<i64: 8>, strides = array<i64: 1>} : tensor<90000xf32> to tensor<8xf32>
  %u = burn.reverse %s {dims = array<i64: 0>} : tensor<4xf32>
  %v = burn.reverse %t {dims = array<i64: 0>} : tensor<8xf32>
  %p = burn.tanh %u : tensor<4xf32>
  %q = burn.exp %v : tensor<8xf32>
  return %a, %b, %p, %q : tensor<100000xf32>, tensor<90000xf32>, tensor<4xf32>, tensor<8xf32>
}


// RUN: burn-opt %s --burn-cpu-pipeline | FileCheck %s
// RUN: not burn-opt %s --burn-emit-entry 2>&1 | FileCheck %s --check-prefix=EARLY

// Tests that the pass needs the launch plan.
// EARLY: error: {{.*}}has no launch plan; run burn-lower-kernels first

// Tests that kernels are internal, and that nothing of burn is left.
// CHECK-NOT: burn.
// CHECK: llvm.func internal @kernel_0(
// CHECK: llvm.func internal @kernel_1(

// Without a runtime, or with one that runs no loops, the loop runs where it is called.
// CHECK-LABEL: llvm.func internal @burn_parallel_for(
// CHECK-SAME: %[[RT:[a-z0-9]*]]: !llvm.ptr, %[[TASKS:[a-z0-9]*]]: i64, %[[FN:[a-z0-9]*]]: !llvm.ptr, %[[ARG:[a-z0-9]*]]: !llvm.ptr
// CHECK: llvm.icmp "eq" %[[RT]]
// CHECK: llvm.call %[[FN]](%[[ARG]], %{{.*}}, %[[TASKS]])
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[TASKS]], %[[FN]], %[[ARG]])

// A kernel with enough work for threads gets a task function, which unpacks its buffers.
// CHECK-LABEL: llvm.func internal @kernel_0_task(
// CHECK: llvm.call @kernel_0(

// The entry point finds the buffers, runs the kernels in order, and gives the number of a check that failed.
// CHECK-LABEL: llvm.func @burn_run(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr, %[[BUFS:[a-z0-9]*]]: !llvm.ptr, %{{[a-z0-9]*}}: !llvm.ptr, %[[SCALARS:[a-z0-9]*]]: !llvm.ptr, %{{[a-z0-9]*}}: !llvm.ptr) -> i32
// CHECK: llvm.getelementptr %[[BUFS]][0]
// CHECK: llvm.getelementptr %[[SCALARS]]
// CHECK: llvm.call @burn_parallel_for
// CHECK: llvm.call @kernel_1
// CHECK: %[[CODE:.*]] = llvm.load
// CHECK: llvm.icmp "ne" %[[CODE]]
// CHECK: llvm.add %[[CODE]]
// CHECK: llvm.return
// CHECK: llvm.return
func.func @main(%x: tensor<100000xf32>, %s: tensor<f32> {burn.scalar}, %i: tensor<4xi64>) -> (tensor<100000xf32>, tensor<4xf32>) {
  %b = burn.broadcast %s {dims = array<i64>} : tensor<f32> to tensor<100000xf32>
  %a = burn.add %x, %b : tensor<100000xf32>
  %g = burn.gather check %a, %i {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
      start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>}
      : tensor<100000xf32>, tensor<4xi64> to tensor<4xf32>
  return %a, %g : tensor<100000xf32>, tensor<4xf32>
}

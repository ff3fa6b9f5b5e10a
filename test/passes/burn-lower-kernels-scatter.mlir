// RUN: burn-opt %s --burn-graph-pipeline --burn-lower-kernels=cpu=x86-64-v4 | FileCheck %s

// Tests that a scatter into zeros fills its result, and that tasks share updates of rows: each looks at all and applies
// those to its own part of the result.
// CHECK: burn.launches = [{{.*}}func = @kernel_0_copy{{.*}}func = @kernel_0_update{{.*}}tasks = 4 : i64
// CHECK-LABEL: func.func private @kernel_0_copy(
// CHECK-NOT: vector.load
// CHECK: vector.store
// CHECK-LABEL: func.func private @kernel_0_update(
// CHECK: arith.cmpi ult
// CHECK: vector.store
func.func @embedding(%i: tensor<5000xi64>, %u: tensor<5000x64xf32>) -> tensor<300x64xf32> {
  %x = burn.constant dense<0.0> : tensor<300x64xf32>
  %r = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<300x64xf32>, tensor<5000xi64>, tensor<5000x64xf32>
  return %r : tensor<300x64xf32>
}

// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=bindings=8,loop-iterations=65535" --burn-gpu-kernels="target=bindings=8,workgroup-memory=256,int64,loop-iterations=65535" --verify-diagnostics

// Tests that a type which the GPU does not have is an error at the op, not code for another type.

func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{elements of type 'f64' need the feature 'float64', which the GPU does not have}}
  %0 = burn.add %a, %a : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// Tests that a kernel which shares more memory than the GPU has is an error.

func.func @main(%a: tensor<7x1000xf32>) -> tensor<7xf32> {
  // expected-error @below {{a kernel with 512 bytes of workgroup memory, of which the GPU allows 256}}
  %0 = burn.reduce sum %a {dims = array<i64: 1>} : tensor<7x1000xf32> to tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// Tests that a kernel whose loops the driver would end is an error.

func.func @main(%a: tensor<9xf32>, %i: tensor<3000000xi32>, %u: tensor<3000000xf32>) -> tensor<9xf32> {
  // expected-error @below {{a kernel in which an invocation iterates up to 3000003 times, of which the GPU allows 65535}}
  %0 = burn.scatter add fill %a, %i, %u {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : tensor<9xf32>, tensor<3000000xi32>, tensor<3000000xf32>
  return %0 : tensor<9xf32>
}

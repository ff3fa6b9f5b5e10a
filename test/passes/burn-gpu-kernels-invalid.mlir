// RUN: burn-opt %s --split-input-file --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels="scalar gpu-target=bindings=8" --burn-gpu-kernels="target=bindings=8,workgroup-memory=256" --verify-diagnostics

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

// RUN: burn-opt %s --burn-fuse --burn-plan-memory=alignment=256 --burn-lower-kernels=scalar --burn-gpu-kernels="target=bindings=8" --verify-diagnostics

// Tests that a type which the GPU does not have is an error at the op, not code for another type.

func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{elements of type 'f64' need the feature 'float64', which the GPU does not have}}
  %0 = burn.add %a, %a : tensor<4xf64>
  return %0 : tensor<4xf64>
}

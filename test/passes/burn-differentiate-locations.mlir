// RUN: burn-opt %s --burn-differentiate --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Tests that an op of the reverse pass carries the location of the op that it is the derivative of.

// CHECK: %[[Y:.+]] = burn.exp {{.+}} loc("model.cpp":7:3)
// CHECK: burn.mul {{.+}}, %[[Y]] : tensor<f32> loc("gradient"("model.cpp":7:3))
func.func @exp(%x: tensor<f32>, %g: tensor<f32>) -> tensor<f32> {
  %y = burn.exp %x : tensor<f32> loc("model.cpp":7:3)
  %r = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> loc("model.cpp":9:3)
  return %r : tensor<f32>
}

// RUN: burn-opt %s --burn-graph-pipeline | FileCheck %s

// Tests that softmax, norms and cross entropy take the fewest kernels together with all of their gradients.
// One kernel computes softmax and its gradient.
// CHECK-LABEL: func.func @softmax(
// CHECK: burn.fused row {{.*}}domain = array<i64: 64, 256>, reduce_dims = array<i64: 1>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @softmax(%x: tensor<64x256xf32>, %g: tensor<64x256xf32>)
    -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  %y = burn.softmax %x {axis = 1 : i64} : tensor<64x256xf32>
  %d = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %y, %d : tensor<64x256xf32>, tensor<64x256xf32>
}

// So it is for log_softmax.
// CHECK-LABEL: func.func @log_softmax(
// CHECK: burn.fused row {{.*}}domain = array<i64: 64, 256>, reduce_dims = array<i64: 1>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @log_softmax(%x: tensor<64x256xf32>, %g: tensor<64x256xf32>)
    -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  %y = burn.log_softmax %x {axis = 1 : i64} : tensor<64x256xf32>
  %d = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %y, %d : tensor<64x256xf32>, tensor<64x256xf32>
}

// Cross entropy counts its targets, goes through the logits once for losses and gradients, and adds the losses up.
// CHECK-LABEL: func.func @cross_entropy(
// CHECK: burn.fused row {{.*}}domain = array<i64: 64>, reduce_dims = array<i64: 0>
// CHECK: burn.fused row {{.*}}domain = array<i64: 64, 256>, reduce_dims = array<i64: 1>
// CHECK: burn.fused row {{.*}}domain = array<i64: 64>, reduce_dims = array<i64: 0>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @cross_entropy(%x: tensor<64x256xf32>, %t: tensor<64xi64>, %g: tensor<f32>)
    -> (tensor<f32>, tensor<64x256xf32>) {
  %y = burn.cross_entropy mean %x, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<64x256xf32>, tensor<64xi64>) -> tensor<f32>
  %d = burn.grad(%y) cotangents(%g) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %y, %d : tensor<f32>, tensor<64x256xf32>
}

// Layer norm: one kernel over rows, with the gradient of the operand, and one over columns for both parameters, which
// computes the normalized elements again.
// CHECK-LABEL: func.func @layer_norm(
// CHECK: burn.fused row {{.*}}domain = array<i64: 64, 256>, reduce_dims = array<i64: 1>
// CHECK: burn.fused row {{.*}}domain = array<i64: 64, 256>, reduce_dims = array<i64: 0>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @layer_norm(%x: tensor<64x256xf32>, %s: tensor<256xf32>, %b: tensor<256xf32>, %g: tensor<64x256xf32>)
    -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %y, %m, %r = burn.layer_norm %x, %s, %b {axis = 1, epsilon = 1.0e-5 : f64}
      : (tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>)
  %d:3 = burn.grad(%y) cotangents(%g) wrt(%x, %s, %b)
      : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>)
  return %y, %d#0, %d#1, %d#2 : tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>
}

// So it is for RMS norm.
// CHECK-LABEL: func.func @rms_norm(
// CHECK: burn.fused row {{.*}}domain = array<i64: 64, 256>, reduce_dims = array<i64: 1>
// CHECK: burn.fused row {{.*}}domain = array<i64: 64, 256>, reduce_dims = array<i64: 0>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @rms_norm(%x: tensor<64x256xf32>, %s: tensor<256xf32>, %g: tensor<64x256xf32>)
    -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>) {
  %y, %r = burn.rms_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<64x256xf32>, tensor<256xf32>) -> (tensor<64x256xf32>, tensor<64xf32>)
  %d:2 = burn.grad(%y) cotangents(%g) wrt(%x, %s)
      : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>) -> (tensor<64x256xf32>, tensor<256xf32>)
  return %y, %d#0, %d#1 : tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>
}

// And for group norm, whose parameters belong to channels.
// CHECK-LABEL: func.func @group_norm(
// CHECK: burn.fused row {{.*}}domain = array<i64: 4, 4, 256>, reduce_dims = array<i64: 2>
// CHECK: burn.fused row {{.*}}domain = array<i64: 4, 16, 8, 8>, reduce_dims = array<i64: 0, 2, 3>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @group_norm(%x: tensor<4x16x8x8xf32>, %s: tensor<16xf32>, %b: tensor<16xf32>, %g: tensor<4x16x8x8xf32>)
    -> (tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) {
  %y, %m, %r = burn.group_norm %x, %s, %b {groups = 4, epsilon = 1.0e-5 : f64}
      : (tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<4x16x8x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
  %d:3 = burn.grad(%y) cotangents(%g) wrt(%x, %s, %b)
      : (tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
  return %y, %d#0, %d#1, %d#2 : tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>
}

// Batch norm reduces over the same dims for its statistics, its parameters and its operand: one kernel.
// CHECK-LABEL: func.func @batch_norm(
// CHECK: burn.fused row {{.*}}domain = array<i64: 4, 16, 8, 8>, reduce_dims = array<i64: 0, 2, 3>
// CHECK-NOT: burn.fused
// CHECK: return
func.func @batch_norm(%x: tensor<4x16x8x8xf32>, %s: tensor<16xf32>, %b: tensor<16xf32>, %g: tensor<4x16x8x8xf32>)
    -> (tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) {
  %y, %m, %v = burn.batch_norm %x, %s, %b {feature_dim = 1, epsilon = 1.0e-5 : f64}
      : tensor<4x16x8x8xf32>, tensor<16xf32>
  %d:3 = burn.grad(%y) cotangents(%g) wrt(%x, %s, %b)
      : (tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
  return %y, %d#0, %d#1, %d#2 : tensor<4x16x8x8xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>
}

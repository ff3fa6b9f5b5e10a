// RUN: burn-opt %s --burn-fuse=recompute=true | FileCheck %s
// RUN: burn-opt %s --burn-fuse | FileCheck %s --check-prefix=STORED

// Tests that what two kernels need and a few cheap ops make of a stored value is computed in both: the sum's operand
// is stored, and neither the difference nor its sign is.
// CHECK-LABEL: @cheap
// CHECK-SAME: (%[[X:.*]]: tensor<64x64xf32>, %[[M:.*]]: tensor<64xf32>, %{{.*}}: tensor<64x64xf32>)
// CHECK: %[[S:.*]] = burn.fused row (%[[X]], %[[M]]) {{.*}} : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64xf32>
// CHECK: burn.fused row (%[[X]], %[[M]], %{{.*}}) {{.*}} -> tensor<64xf32>
// CHECK: burn.sub
// CHECK-NEXT: burn.compare gt
// CHECK-NOT: burn.fused
// CHECK: return
// STORED-LABEL: @cheap
// STORED: burn.fused row {{.*}} -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xi1>)
func.func @cheap(%x: tensor<64x64xf32>, %m: tensor<64xf32>, %g: tensor<64x64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = burn.constant dense<0.0> : tensor<64x64xf32>
  %b = burn.broadcast %m {dims = array<i64: 0>} : tensor<64xf32> to tensor<64x64xf32>
  %d = burn.sub %x, %b : tensor<64x64xf32>
  %s = burn.reduce sum %d {dims = array<i64: 1>} : tensor<64x64xf32> to tensor<64xf32>
  %p = burn.compare gt %d, %zero : tensor<64x64xf32>
  %k:2 = burn.barrier %g, %s : tensor<64x64xf32>, tensor<64xf32>
  %q = burn.select %p, %k#0, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %u = burn.mul %q, %d : tensor<64x64xf32>
  %t = burn.reduce sum %u {dims = array<i64: 0>} : tensor<64x64xf32> to tensor<64xf32>
  return %s, %t : tensor<64xf32>, tensor<64xf32>
}

// Tests that an expensive op is stored.
// CHECK-LABEL: @expensive
// CHECK: burn.fused row {{.*}} -> (tensor<64x64xf32>, tensor<64xf32>)
// CHECK: burn.fused row
// CHECK-NOT: burn.tanh
// CHECK: return
func.func @expensive(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %d = burn.tanh %x : tensor<64x64xf32>
  %s = burn.reduce sum %d {dims = array<i64: 1>} : tensor<64x64xf32> to tensor<64xf32>
  %t = burn.reduce sum %d {dims = array<i64: 0>} : tensor<64x64xf32> to tensor<64xf32>
  return %s, %t : tensor<64xf32>, tensor<64xf32>
}

// Tests that a value which a product reads as well stays, and is read by all.
// CHECK-LABEL: @needed
// CHECK: %[[D:.*]]:2 = burn.fused row {{.*}} -> (tensor<64x64xf32>, tensor<64xf32>)
// CHECK: burn.fused contraction (%[[D]]#0)
func.func @needed(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>) {
  %d = burn.relu %x : tensor<64x64xf32>
  %s = burn.reduce sum %d {dims = array<i64: 1>} : tensor<64x64xf32> to tensor<64xf32>
  %p = burn.dot_general %d, %d {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x64xf32>, tensor<64x64xf32> to tensor<64x64xf32>
  return %s, %p : tensor<64xf32>, tensor<64x64xf32>
}

// Tests that windows compute their operand, and that what only they read has no kernel.
// CHECK-LABEL: @window
// CHECK-SAME: (%[[X:.*]]: tensor<8x32x32xf32>)
// CHECK: burn.fused single (%[[X]])
// CHECK: burn.relu
// CHECK-NEXT: burn.reduce_window max
// CHECK-NOT: burn.fused
// CHECK: return
// STORED-LABEL: @window
// STORED: burn.fused elementwise
func.func @window(%x: tensor<8x32x32xf32>) -> tensor<8x16x16xf32> {
  %y = burn.relu %x : tensor<8x32x32xf32>
  %r = burn.reduce_window max %y {window = array<i64: 1, 2, 2>, strides = array<i64: 1, 2, 2>,
      pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, base_dilation = array<i64: 1, 1, 1>,
      window_dilation = array<i64: 1, 1, 1>} : tensor<8x32x32xf32> to tensor<8x16x16xf32>
  return %r : tensor<8x16x16xf32>
}

// Tests that the gradient of maxima over windows that do not overlap is one kernel, which finds them again.
// CHECK-LABEL: @gradient
// CHECK-SAME: (%[[X:.*]]: tensor<8x11x11xf32>, %[[G:.*]]: tensor<8x5x5xf32>)
// CHECK: %[[U:.*]] = burn.reshape %[[G]]
// CHECK-NEXT: burn.fused single (%[[X]], %[[U]]) : (tensor<8x11x11xf32>, tensor<8x25xf32>) -> tensor<8x121xf32>
// CHECK: burn.arg_reduce_window max
// CHECK: burn.scatter add
// CHECK-NOT: burn.fused
// CHECK: return
// STORED-LABEL: @gradient
// STORED-COUNT-2: burn.fused
func.func @gradient(%x: tensor<8x11x11xf32>, %g: tensor<8x5x5xf32>) -> tensor<8x121xf32> {
  %zeros = burn.constant dense<0.0> : tensor<8x121xf32>
  %v, %i = burn.arg_reduce_window max %x {window = array<i64: 1, 2, 2>, strides = array<i64: 1, 2, 2>,
      pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, window_dilation = array<i64: 1, 1, 1>,
      index_dims = array<i64: 1, 2>} : tensor<8x11x11xf32> to tensor<8x5x5xf32>, tensor<8x5x5xi64>
  %j = burn.reshape %i : tensor<8x5x5xi64> to tensor<8x25xi64>
  %u = burn.reshape %g : tensor<8x5x5xf32> to tensor<8x25xf32>
  %r = burn.scatter add assume_valid %zeros, %j, %u {update_window_dims = array<i64>,
      inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>,
      scatter_indices_batching_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 1>,
      index_vector_dim = 2 : i64} : tensor<8x121xf32>, tensor<8x25xi64>, tensor<8x25xf32>
  return %r : tensor<8x121xf32>
}

// RUN: burn-opt %s --split-input-file --burn-layout | FileCheck %s

// A chain of convolution, scale, activation, pooling and convolution has its transposes at its ends alone.

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<8x16x28x28xf32>, %[[W:.*]]: tensor<32x16x3x3xf32>, %[[S:.*]]: tensor<32xf32>,
func.func @chain(%x: tensor<8x16x28x28xf32>, %w: tensor<32x16x3x3xf32>, %s: tensor<32xf32>,
                 %v: tensor<64x32x3x3xf32>) -> tensor<8x64x11x11xf32> {
  // CHECK: %[[T:.*]] = burn.transpose %[[X]] {perm = array<i64: 0, 2, 3, 1>}
  // CHECK: %[[C:.*]] = burn.conv %[[T]], %[[W]]
  // CHECK-SAME: lhs_dims = array<i64: 0, 3, 1, 2>
  // CHECK-SAME: out_dims = array<i64: 0, 3, 1, 2>
  // CHECK-SAME: rhs_dims = array<i64: 0, 1, 2, 3>
  // CHECK-SAME: to tensor<8x26x26x32xf32>
  %c = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x16x28x28xf32>, tensor<32x16x3x3xf32> to tensor<8x32x26x26xf32>
  // CHECK-NEXT: %[[B:.*]] = burn.broadcast %[[S]] {dims = array<i64: 3>} : tensor<32xf32> to tensor<8x26x26x32xf32>
  %b = burn.broadcast %s {dims = array<i64: 1>} : tensor<32xf32> to tensor<8x32x26x26xf32>
  // CHECK-NEXT: burn.mul %[[C]], %[[B]]
  %m = burn.mul %c, %b : tensor<8x32x26x26xf32>
  // CHECK-NOT: burn.transpose
  // CHECK: burn.constant dense<0.000000e+00> : tensor<8x26x26x32xf32>
  %z = burn.constant dense<0.0> : tensor<8x32x26x26xf32>
  %r = burn.max %m, %z : tensor<8x32x26x26xf32>
  // CHECK: burn.reduce_window max
  // CHECK-SAME: strides = array<i64: 1, 2, 2, 1>, window = array<i64: 1, 2, 2, 1>
  %p = burn.reduce_window max %r {base_dilation = array<i64: 1, 1, 1, 1>, pad_high = array<i64: 0, 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 2, 2>, window = array<i64: 1, 1, 2, 2>,
      window_dilation = array<i64: 1, 1, 1, 1>} : tensor<8x32x26x26xf32> to tensor<8x32x13x13xf32>
  // CHECK-NEXT: %[[Y:.*]] = burn.conv
  %y = burn.conv %p, %v {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x32x13x13xf32>, tensor<64x32x3x3xf32> to tensor<8x64x11x11xf32>
  // CHECK-NEXT: %[[R:.*]] = burn.transpose %[[Y]] {perm = array<i64: 0, 3, 1, 2>}
  // CHECK-NEXT: return %[[R]]
  return %y : tensor<8x64x11x11xf32>
}

// -----

// Programs whose channels are last stay as they are.

// CHECK-LABEL: func.func @channels_last
// CHECK-NOT: burn.transpose
// CHECK: burn.conv %{{.*}}, %{{.*}} {{.*}}lhs_dims = array<i64: 0, 3, 1, 2>
// CHECK-NOT: burn.transpose
func.func @channels_last(%x: tensor<8x28x28x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<8x26x26x32xf32> {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 3, 1, 2>, out_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 3, 2, 0, 1>,
      strides = array<i64: 1, 1>} : tensor<8x28x28x16xf32>, tensor<3x3x16x32xf32> to tensor<8x26x26x32xf32>
  return %y : tensor<8x26x26x32xf32>
}

// -----

// A product in disguise gains nothing that transposes would not cost.

// CHECK-LABEL: func.func @point
// CHECK-NOT: burn.transpose
func.func @point(%x: tensor<8x16x28x28xf32>, %w: tensor<8x16x1x1xf32>) -> tensor<8x8x28x28xf32> {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x16x28x28xf32>, tensor<8x16x1x1xf32> to tensor<8x8x28x28xf32>
  return %y : tensor<8x8x28x28xf32>
}

// -----

// An image of one channel is in both layouts at once; few products of few channels are not worth turning the result.

// CHECK-LABEL: func.func @one_channel
// CHECK-NOT: burn.transpose
func.func @one_channel(%x: tensor<8x1x28x28xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<8x8x26x26xf32> {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x1x28x28xf32>, tensor<8x1x3x3xf32> to tensor<8x8x26x26xf32>
  return %y : tensor<8x8x26x26xf32>
}

// -----

// Gradients: the image's cotangent comes in channels last, the kernel's is turned at the end. Places of extrema and the
// scatter that brings cotangents back to them follow, and so do reshapes that keep height and width together.

// CHECK-LABEL: func.func @backward
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<8x32x28x28xf32>
// CHECK-SAME: %[[G:[a-z0-9]*]]: tensor<8x64x13x13xf32>
func.func @backward(%x: tensor<8x32x28x28xf32>, %w: tensor<64x32x3x3xf32>, %g: tensor<8x64x13x13xf32>)
    -> (tensor<64x32x3x3xf32>, tensor<8x32xf32>) {
  // CHECK-DAG: %[[XT:.*]] = burn.transpose %[[X]] {perm = array<i64: 0, 2, 3, 1>}
  // CHECK-DAG: burn.transpose %[[G]] {perm = array<i64: 0, 2, 3, 1>}
  // CHECK: %[[C:.*]] = burn.conv %[[XT]]
  // CHECK-NOT: burn.transpose
  %c = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x32x28x28xf32>, tensor<64x32x3x3xf32> to tensor<8x64x26x26xf32>
  // CHECK: burn.arg_reduce_window max %[[C]] {index_dims = array<i64: 1, 2>
  %p, %i = burn.arg_reduce_window max %c {index_dims = array<i64: 2, 3>, pad_high = array<i64: 0, 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 2, 2>, window = array<i64: 1, 1, 2, 2>,
      window_dilation = array<i64: 1, 1, 1, 1>}
      : tensor<8x64x26x26xf32> to tensor<8x64x13x13xf32>, tensor<8x64x13x13xi64>
  %flat = burn.reshape %i : tensor<8x64x13x13xi64> to tensor<8x64x169xi64>
  %gp = burn.mul %g, %p : tensor<8x64x13x13xf32>
  // CHECK: burn.reshape {{.*}} : tensor<8x13x13x64xf32> to tensor<8x169x64xf32>
  %u = burn.reshape %gp : tensor<8x64x13x13xf32> to tensor<8x64x169xf32>
  %z = burn.constant dense<0.0> : tensor<8x64x676xf32>
  // CHECK: burn.scatter add assume_valid
  // CHECK-SAME: input_batching_dims = array<i64: 0, 2>, inserted_window_dims = array<i64: 1>
  // CHECK-SAME: scatter_dims_to_operand_dims = array<i64: 1>, scatter_indices_batching_dims = array<i64: 0, 2>
  %s = burn.scatter add assume_valid %z, %flat, %u {index_vector_dim = 3 : i64, input_batching_dims = array<i64: 0, 1>,
      inserted_window_dims = array<i64: 2>, scatter_dims_to_operand_dims = array<i64: 2>,
      scatter_indices_batching_dims = array<i64: 0, 1>, update_window_dims = array<i64>}
      : tensor<8x64x676xf32>, tensor<8x64x169xi64>, tensor<8x64x169xf32>
  %ct = burn.reshape %s : tensor<8x64x676xf32> to tensor<8x64x26x26xf32>
  // CHECK: burn.conv {{.*}} to tensor<8x28x28x32xf32>
  %dx = burn.conv %ct, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 2, 2>,
      pad_low = array<i64: 2, 2>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 1, 0, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x64x26x26xf32>, tensor<64x32x3x3xf32> to tensor<8x32x28x28xf32>
  // CHECK: %[[DW:.*]] = burn.conv %[[XT]], {{.*}} to tensor<3x3x32x64xf32>
  // CHECK: %[[T:.*]] = burn.transpose %[[DW]] {perm = array<i64: 3, 2, 0, 1>}
  %dw = burn.conv %x, %ct {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 1, 0, 2, 3>, out_dims = array<i64: 1, 0, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 1, 0, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x32x28x28xf32>, tensor<8x64x26x26xf32> to tensor<64x32x3x3xf32>
  // CHECK: burn.reduce max {{.*}} {dims = array<i64: 1, 2>} : tensor<8x28x28x32xf32>
  %sum = burn.reduce max %dx {dims = array<i64: 2, 3>} : tensor<8x32x28x28xf32> to tensor<8x32xf32>
  // CHECK: return %[[T]]
  return %dw, %sum : tensor<64x32x3x3xf32>, tensor<8x32xf32>
}

// -----

// Sums of floats keep the order of their terms: they are sums of a transposed tensor, which kernels take as it lies.

// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<8x32x28x28xf32>
func.func @sum(%x: tensor<8x32x28x28xf32>, %w: tensor<64x32x5x5xf32>) -> (tensor<8x64x24x24xf32>, tensor<64xf32>) {
  // CHECK: burn.transpose %[[X]] {perm = array<i64: 0, 2, 3, 1>}
  // CHECK: burn.conv {{.*}} to tensor<8x24x24x64xf32>
  %c = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x32x28x28xf32>, tensor<64x32x5x5xf32> to tensor<8x64x24x24xf32>
  // CHECK: %[[E:.*]] = burn.exp %{{.*}} : tensor<8x24x24x64xf32>
  // CHECK: %[[T:.*]] = burn.transpose %[[E]] {perm = array<i64: 0, 3, 1, 2>}
  // CHECK: burn.reduce sum %[[T]] {dims = array<i64: 0, 2, 3>}
  %e = burn.exp %c : tensor<8x64x24x24xf32>
  %s = burn.reduce sum %e {dims = array<i64: 0, 2, 3>} : tensor<8x64x24x24xf32> to tensor<64xf32>
  return %c, %s : tensor<8x64x24x24xf32>, tensor<64xf32>
}

// -----

// No kernel adds up channels in the order of images whose channels are last, so that the transpose counts; here the
// convolution gains more.

// CHECK-LABEL: func.func @across_channels
// CHECK: burn.conv {{.*}} to tensor<8x24x24x64xf32>
// CHECK: %[[T:.*]] = burn.transpose %{{.*}} {perm = array<i64: 0, 3, 1, 2>}
// CHECK: burn.reduce sum %[[T]] {dims = array<i64: 1>}
func.func @across_channels(%x: tensor<8x32x28x28xf32>, %w: tensor<64x32x5x5xf32>) -> tensor<8x24x24xf32> {
  %c = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x32x28x28xf32>, tensor<64x32x5x5xf32> to tensor<8x64x24x24xf32>
  %s = burn.reduce sum %c {dims = array<i64: 1>} : tensor<8x64x24x24xf32> to tensor<8x24x24xf32>
  return %s : tensor<8x24x24xf32>
}

// -----

// Sums over windows are formed row by row, which stays so: average pooling has its channels last, too. A window over
// channels and places would change.

// CHECK-LABEL: func.func @windows
// CHECK: %[[C:.*]] = burn.conv {{.*}} to tensor<8x24x24x64xf32>
// CHECK-NEXT: %[[T:.*]] = burn.transpose %[[C]] {perm = array<i64: 0, 3, 1, 2>}
// CHECK: burn.reduce_window sum %[[C]]
// CHECK-SAME: window = array<i64: 1, 2, 2, 1>
// CHECK: burn.reduce_window sum %[[T]]
// CHECK-SAME: window = array<i64: 1, 2, 2, 1>
func.func @windows(%x: tensor<8x32x28x28xf32>, %w: tensor<64x32x5x5xf32>)
    -> (tensor<8x64x12x12xf32>, tensor<8x32x12x24xf32>) {
  %c = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>,
      strides = array<i64: 1, 1>} : tensor<8x32x28x28xf32>, tensor<64x32x5x5xf32> to tensor<8x64x24x24xf32>
  %p = burn.reduce_window sum %c {base_dilation = array<i64: 1, 1, 1, 1>, pad_high = array<i64: 0, 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 2, 2>, window = array<i64: 1, 1, 2, 2>,
      window_dilation = array<i64: 1, 1, 1, 1>} : tensor<8x64x24x24xf32> to tensor<8x64x12x12xf32>
  %q = burn.reduce_window sum %c {base_dilation = array<i64: 1, 1, 1, 1>, pad_high = array<i64: 0, 0, 0, 0>,
      pad_low = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2, 2, 1>, window = array<i64: 1, 2, 2, 1>,
      window_dilation = array<i64: 1, 1, 1, 1>} : tensor<8x64x24x24xf32> to tensor<8x32x12x24xf32>
  return %p, %q : tensor<8x64x12x12xf32>, tensor<8x32x12x24xf32>
}

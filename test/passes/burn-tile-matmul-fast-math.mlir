// RUN: burn-opt %s --split-input-file --burn-tile-matmul=fast-math=true | FileCheck %s
// RUN: burn-opt %s --split-input-file --burn-tile-matmul | FileCheck %s --check-prefix=PLAIN

// Windows of 3 x 3 over many channels are computed by Winograd's method under fast math, and never without.

// CHECK-LABEL: func.func @many_channels
// CHECK: burn.conv {{.*}} burn.winograd
// PLAIN-LABEL: func.func @many_channels
// PLAIN-NOT: burn.winograd
func.func @many_channels(%x: tensor<2x28x28x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<2x28x28x64xf32> {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 3, 1, 2>, out_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>,
      pad_low = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 3, 2, 0, 1>,
      strides = array<i64: 1, 1>} : tensor<2x28x28x64xf32>, tensor<3x3x64x64xf32> to tensor<2x28x28x64xf32>
  return %y : tensor<2x28x28x64xf32>
}

// -----

// A convolution may allow it alone; its neighbour stays as it is.

// CHECK-LABEL: func.func @one_of_two
// PLAIN-LABEL: func.func @one_of_two
// PLAIN: burn.conv {{.*}} burn.winograd{{.*}} fast_math
// PLAIN-NOT: burn.winograd
// PLAIN: return
func.func @one_of_two(%x: tensor<2x28x28x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<2x28x28x64xf32> {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 3, 1, 2>, out_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>,
      pad_low = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 3, 2, 0, 1>,
      strides = array<i64: 1, 1>, fast_math} : tensor<2x28x28x64xf32>, tensor<3x3x64x64xf32> to tensor<2x28x28x64xf32>
  %z = burn.conv %y, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 3, 1, 2>, out_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>,
      pad_low = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 3, 2, 0, 1>,
      strides = array<i64: 1, 1>} : tensor<2x28x28x64xf32>, tensor<3x3x64x64xf32> to tensor<2x28x28x64xf32>
  return %z : tensor<2x28x28x64xf32>
}

// -----

// Transforms of few channels cost more than they save, and other strides have no such method.

// CHECK-LABEL: func.func @others
// CHECK-NOT: burn.winograd
func.func @others(%x: tensor<2x28x28x8xf32>, %w: tensor<3x3x8x64xf32>, %u: tensor<2x29x29x64xf32>,
                  %v: tensor<3x3x64x64xf32>) -> (tensor<2x28x28x64xf32>, tensor<2x14x14x64xf32>) {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 3, 1, 2>, out_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>,
      pad_low = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 3, 2, 0, 1>,
      strides = array<i64: 1, 1>} : tensor<2x28x28x8xf32>, tensor<3x3x8x64xf32> to tensor<2x28x28x64xf32>
  %z = burn.conv %u, %v {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      lhs_dims = array<i64: 0, 3, 1, 2>, out_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 0, 0>,
      pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 3, 2, 0, 1>,
      strides = array<i64: 2, 2>} : tensor<2x29x29x64xf32>, tensor<3x3x64x64xf32> to tensor<2x14x14x64xf32>
  return %y, %z : tensor<2x28x28x64xf32>, tensor<2x14x14x64xf32>
}

// RUN: burn-opt %s --burn-differentiate | FileCheck %s

// Tests that the rule of burn.conv is two convolutions: strides and dilations change places, and groups of features
// and of the batch for the kernel.

// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x5x6xf32>, %[[W:[a-z0-9]+]]: tensor<4x3x3x2xf32>, %[[G:[a-z0-9]+]]: tensor<2x4x3x5xf32>
// CHECK:       %[[Y:.+]] = burn.conv %[[X]], %[[W]] {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>, lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>} : tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32> to tensor<2x4x3x5xf32>
// CHECK-NEXT:  %[[REVERSE:.+]] = burn.reverse %[[W]] {dims = array<i64: 2, 3>} : tensor<4x3x3x2xf32>
// CHECK-NEXT:  %[[CONV:.+]] = burn.conv %[[G]], %[[REVERSE]] {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>, lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 2, 1>, pad_low = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 1, 0, 2, 3>, strides = array<i64: 1, 1>} : tensor<2x4x3x5xf32>, tensor<4x3x3x2xf32> to tensor<2x3x5x6xf32>
// CHECK-NEXT:  %[[CONV_1:.+]] = burn.conv %[[X]], %[[G]] {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>, lhs_dims = array<i64: 1, 0, 2, 3>, out_dims = array<i64: 1, 0, 2, 3>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 1, 0, 2, 3>, strides = array<i64: 1, 1>} : tensor<2x3x5x6xf32>, tensor<2x4x3x5xf32> to tensor<4x3x3x2xf32>
// CHECK-NEXT:  return %[[CONV]], %[[CONV_1]] : tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>
func.func @plain(%x: tensor<2x3x5x6xf32>, %w: tensor<4x3x3x2xf32>, %g: tensor<2x4x3x5xf32>)
    -> (tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>) {
  %y = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1} : tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32> to tensor<2x4x3x5xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %w)
      : (tensor<2x4x3x5xf32>, tensor<2x4x3x5xf32>, tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>) -> (tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>)
  return %r#0, %r#1 : tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x4x9x8xf32>, %[[W:[a-z0-9]+]]: tensor<6x2x3x2xf32>, %[[G:[a-z0-9]+]]: tensor<2x6x5x4xf32>
// CHECK:       %[[Y:.+]] = burn.conv %[[X]], %[[W]] {batch_groups = 1 : i64, feature_groups = 2 : i64, lhs_dilation = array<i64: 1, 1>, lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 0>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 2, 2>} : tensor<2x4x9x8xf32>, tensor<6x2x3x2xf32> to tensor<2x6x5x4xf32>
// CHECK-NEXT:  %[[REVERSE:.+]] = burn.reverse %[[W]] {dims = array<i64: 2, 3>} : tensor<6x2x3x2xf32>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[REVERSE]] : tensor<6x2x3x2xf32> to tensor<2x3x2x3x2xf32>
// CHECK-NEXT:  %[[TRANSPOSE:.+]] = burn.transpose %[[RESHAPE]] {perm = array<i64: 0, 2, 1, 3, 4>} : tensor<2x3x2x3x2xf32> to tensor<2x2x3x3x2xf32>
// CHECK-NEXT:  %[[RESHAPE_1:.+]] = burn.reshape %[[TRANSPOSE]] : tensor<2x2x3x3x2xf32> to tensor<4x3x3x2xf32>
// CHECK-NEXT:  %[[CONV:.+]] = burn.conv %[[G]], %[[RESHAPE_1]] {batch_groups = 1 : i64, feature_groups = 2 : i64, lhs_dilation = array<i64: 2, 2>, lhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, rhs_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>} : tensor<2x6x5x4xf32>, tensor<4x3x3x2xf32> to tensor<2x4x9x8xf32>
// CHECK-NEXT:  %[[CONV_1:.+]] = burn.conv %[[X]], %[[G]] {batch_groups = 2 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>, lhs_dims = array<i64: 1, 0, 2, 3>, out_dims = array<i64: 1, 0, 2, 3>, pad_high = array<i64: 1, 0>, pad_low = array<i64: 1, 0>, rhs_dilation = array<i64: 2, 2>, rhs_dims = array<i64: 1, 0, 2, 3>, strides = array<i64: 1, 1>} : tensor<2x4x9x8xf32>, tensor<2x6x5x4xf32> to tensor<6x2x3x2xf32>
// CHECK-NEXT:  return %[[CONV]], %[[CONV_1]] : tensor<2x4x9x8xf32>, tensor<6x2x3x2xf32>
func.func @strided(%x: tensor<2x4x9x8xf32>, %w: tensor<6x2x3x2xf32>, %g: tensor<2x6x5x4xf32>)
    -> (tensor<2x4x9x8xf32>, tensor<6x2x3x2xf32>) {
  %y = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 0>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, feature_groups = 2, batch_groups = 1} : tensor<2x4x9x8xf32>, tensor<6x2x3x2xf32> to tensor<2x6x5x4xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %w)
      : (tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x4x9x8xf32>, tensor<6x2x3x2xf32>) -> (tensor<2x4x9x8xf32>, tensor<6x2x3x2xf32>)
  return %r#0, %r#1 : tensor<2x4x9x8xf32>, tensor<6x2x3x2xf32>
}

// CHECK-LABEL: func.func @batch_groups(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x2x5xf32>, %[[W:[a-z0-9]+]]: tensor<6x2x3xf32>, %[[G:[a-z0-9]+]]: tensor<2x6x2xf32>
// CHECK:       %[[Y:.+]] = burn.conv %[[X]], %[[W]] {batch_groups = 2 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1>, lhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, pad_high = array<i64: 0>, pad_low = array<i64: 0>, rhs_dilation = array<i64: 1>, rhs_dims = array<i64: 0, 1, 2>, strides = array<i64: 2>} : tensor<4x2x5xf32>, tensor<6x2x3xf32> to tensor<2x6x2xf32>
// CHECK-NEXT:  %[[REVERSE:.+]] = burn.reverse %[[W]] {dims = array<i64: 2>} : tensor<6x2x3xf32>
// CHECK-NEXT:  %[[RESHAPE:.+]] = burn.reshape %[[REVERSE]] : tensor<6x2x3xf32> to tensor<2x3x2x3xf32>
// CHECK-NEXT:  %[[TRANSPOSE:.+]] = burn.transpose %[[RESHAPE]] {perm = array<i64: 0, 2, 1, 3>} : tensor<2x3x2x3xf32> to tensor<2x2x3x3xf32>
// CHECK-NEXT:  %[[RESHAPE_1:.+]] = burn.reshape %[[TRANSPOSE]] : tensor<2x2x3x3xf32> to tensor<4x3x3xf32>
// CHECK-NEXT:  %[[CONV:.+]] = burn.conv %[[G]], %[[RESHAPE_1]] {batch_groups = 1 : i64, feature_groups = 2 : i64, lhs_dilation = array<i64: 2>, lhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, pad_high = array<i64: 2>, pad_low = array<i64: 2>, rhs_dilation = array<i64: 1>, rhs_dims = array<i64: 0, 1, 2>, strides = array<i64: 1>} : tensor<2x6x2xf32>, tensor<4x3x3xf32> to tensor<2x4x5xf32>
// CHECK-NEXT:  %[[RESHAPE_2:.+]] = burn.reshape %[[CONV]] : tensor<2x4x5xf32> to tensor<2x2x2x5xf32>
// CHECK-NEXT:  %[[TRANSPOSE_1:.+]] = burn.transpose %[[RESHAPE_2]] {perm = array<i64: 1, 0, 2, 3>} : tensor<2x2x2x5xf32> to tensor<2x2x2x5xf32>
// CHECK-NEXT:  %[[RESHAPE_3:.+]] = burn.reshape %[[TRANSPOSE_1]] : tensor<2x2x2x5xf32> to tensor<4x2x5xf32>
// CHECK-NEXT:  %[[CONV_1:.+]] = burn.conv %[[X]], %[[G]] {batch_groups = 1 : i64, feature_groups = 2 : i64, lhs_dilation = array<i64: 1>, lhs_dims = array<i64: 1, 0, 2>, out_dims = array<i64: 1, 0, 2>, pad_high = array<i64: 0>, pad_low = array<i64: 0>, rhs_dilation = array<i64: 2>, rhs_dims = array<i64: 1, 0, 2>, strides = array<i64: 1>} : tensor<4x2x5xf32>, tensor<2x6x2xf32> to tensor<6x2x3xf32>
// CHECK-NEXT:  return %[[RESHAPE_3]], %[[CONV_1]] : tensor<4x2x5xf32>, tensor<6x2x3xf32>
func.func @batch_groups(%x: tensor<4x2x5xf32>, %w: tensor<6x2x3xf32>, %g: tensor<2x6x2xf32>)
    -> (tensor<4x2x5xf32>, tensor<6x2x3xf32>) {
  %y = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2>, rhs_dims = array<i64: 0, 1, 2>, out_dims = array<i64: 0, 1, 2>, strides = array<i64: 2>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, feature_groups = 1, batch_groups = 2} : tensor<4x2x5xf32>, tensor<6x2x3xf32> to tensor<2x6x2xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %w)
      : (tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<4x2x5xf32>, tensor<6x2x3xf32>) -> (tensor<4x2x5xf32>, tensor<6x2x3xf32>)
  return %r#0, %r#1 : tensor<4x2x5xf32>, tensor<6x2x3xf32>
}

// The gradients of a convolution may be computed as it may.

// CHECK-LABEL: func.func @fast_math(
// CHECK:       burn.conv {{.*}} fast_math, {{.*}} to tensor<2x4x3x5xf32>
// CHECK:       burn.conv {{.*}} fast_math, {{.*}} to tensor<2x3x5x6xf32>
// CHECK-NEXT:  burn.conv {{.*}} fast_math, {{.*}} to tensor<4x3x3x2xf32>
func.func @fast_math(%x: tensor<2x3x5x6xf32>, %w: tensor<4x3x3x2xf32>, %g: tensor<2x4x3x5xf32>)
    -> (tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>) {
  %y = burn.conv %x, %w {fast_math, lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1} : tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32> to tensor<2x4x3x5xf32>
  %r:2 = burn.grad(%y) cotangents(%g) wrt(%x, %w)
      : (tensor<2x4x3x5xf32>, tensor<2x4x3x5xf32>, tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>) -> (tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>)
  return %r#0, %r#1 : tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>
}

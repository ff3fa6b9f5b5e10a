// A matrix times one column, compared: each lane of a vector is the same column then, of which AVX-512 code once took a
// step of the rest from another. The sums of i * i and of i * (16 - i) for i = 1 .. 15 are 1240 and 680.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s
// RUN: burn-run %s --reference | FileCheck %s
// RUN: burn-run %s | FileCheck %s
// CHECK: 1 1

func.func @main() -> tensor<2x1xi1> {
  %a = burn.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
                            [15.0, 14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]]> : tensor<2x15xf64>
  %x = burn.barrier %a : tensor<2x15xf64>
  %b = burn.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]]> : tensor<1x15xf64>
  %y = burn.barrier %b : tensor<1x15xf64>
  %c = burn.constant dense<[[1240.0], [680.0]]> : tensor<2x1xf64>
  %p = burn.conv %x, %y {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64>,
      lhs_dims = array<i64: 0, 1>, out_dims = array<i64: 0, 1>, pad_high = array<i64>, pad_low = array<i64>,
      rhs_dilation = array<i64>, rhs_dims = array<i64: 0, 1>, strides = array<i64>}
      : tensor<2x15xf64>, tensor<1x15xf64> to tensor<2x1xf64>
  %r = burn.compare eq %c, %p : tensor<2x1xf64>
  return %r : tensor<2x1xi1>
}

// RUN: burn-opt %s --burn-decompose --burn-fuse | FileCheck %s

// Tests that moments and what uses them are one kernel over rows.
// CHECK-LABEL: @moments
// CHECK:       burn.fused row
// CHECK-COUNT-2: burn.reduce sum
// CHECK:       burn.rsqrt
// CHECK-NOT:   burn.fused
// CHECK:       return
func.func @moments(%x: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64x128xf32>) {
  %m, %v = burn.moments %x {dims = array<i64: 1>, correction = 0} : tensor<64x128xf32>
  %b = burn.broadcast %m {dims = array<i64: 0>} : tensor<64xf32> to tensor<64x128xf32>
  %d = burn.sub %x, %b : tensor<64x128xf32>
  %r = burn.rsqrt %v : tensor<64xf32>
  %s = burn.broadcast %r {dims = array<i64: 0>} : tensor<64xf32> to tensor<64x128xf32>
  %y = burn.mul %d, %s : tensor<64x128xf32>
  return %v, %y : tensor<64xf32>, tensor<64x128xf32>
}

// Tests that scans, sorting and searching are kernels of their own, which read and write buffers; results that nothing
// reads have none.
// CHECK-LABEL: @alone
// CHECK:       burn.fused elementwise
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:  burn.exp
// CHECK:       burn.fused single
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:  burn.scan sum
// CHECK:       burn.fused elementwise
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:  burn.log
// CHECK:       burn.fused single
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:  %[[SORT:.+]]:2 = burn.sort
// CHECK-NEXT:  burn.yield %[[SORT]]#1 : tensor<4x9xi64>
// CHECK:       burn.fused single
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:  %{{.+}}, %[[COUNT:.+]] = burn.nonzero
// CHECK-NEXT:  burn.yield %[[COUNT]] : tensor<i64>
func.func @alone(%x: tensor<4x9xf32>, %j: tensor<4x9xi64>) -> tensor<i64> {
  %e = burn.exp %x : tensor<4x9xf32>
  %s = burn.scan sum %e {axis = 1, exclusive = false, reverse = false} : tensor<4x9xf32>
  %l = burn.log %s : tensor<4x9xf32>
  %v, %p = burn.sort %l, %j {axis = 1, descending = false} : (tensor<4x9xf32>, tensor<4x9xi64>) -> (tensor<4x9xf32>, tensor<4x9xi64>)
  %i, %n = burn.nonzero %p {max_count = 3} : tensor<4x9xi64> to tensor<3x2xi64>, tensor<i64>
  return %n : tensor<i64>
}

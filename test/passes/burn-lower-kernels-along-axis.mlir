// RUN: split-file %s %t
// RUN: burn-opt %t/sort.mlir --burn-fuse --burn-plan-memory --burn-lower-kernels | FileCheck %t/sort.mlir
// RUN: burn-opt %t/scan.mlir --burn-fuse --burn-plan-memory --burn-lower-kernels | FileCheck %t/scan.mlir
// RUN: burn-opt %t/nonzero.mlir --burn-fuse --burn-plan-memory --burn-lower-kernels | FileCheck %t/nonzero.mlir

//--- sort.mlir

// Tests that long lines are sorted in runs and merged in pieces, with records of one word where the keys have 32 bits.
// CHECK:       func = @kernel_0_runs, tasks = 20 :
// CHECK-SAME:  func = @kernel_0_merge2048
// CHECK-SAME:  func = @kernel_0_merge4096
// CHECK-SAME:  func = @kernel_0_merge32768
// CHECK-SAME:  func = @kernel_0,
// CHECK:       func.func private @kernel_0_runs(
// CHECK:       memref.view %{{.+}} : memref<640000xi8> to memref<80000xi64>
func.func @main(%x: tensor<40000xf32>) -> tensor<40000xf32> {
  %v = burn.sort %x {axis = 0, descending = false} : (tensor<40000xf32>) -> tensor<40000xf32>
  return %v : tensor<40000xf32>
}

//--- scan.mlir

// Tests that a long line is scanned in blocks whose totals come first: the order is one of the shape.
// CHECK:       func.func private @kernel_0_totals(
// CHECK:       func.func private @kernel_0_offsets(
// CHECK:       func.func private @kernel_0(
func.func @main(%x: tensor<8192xf32>) -> tensor<8192xf32> {
  %r = burn.scan sum %x {axis = 0, exclusive = false, reverse = false} : tensor<8192xf32>
  return %r : tensor<8192xf32>
}

//--- nonzero.mlir

// Tests that only what is read is written: no rows of indices here.
// CHECK:       func.func private @kernel_0_count(
// CHECK:       func.func private @kernel_0_offsets(
// CHECK-NOT:   @kernel_0_fill
func.func @main(%x: tensor<5000xf32>) -> tensor<i64> {
  %i, %n = burn.nonzero %x {max_count = 9} : tensor<5000xf32> to tensor<9x1xi64>, tensor<i64>
  return %n : tensor<i64>
}

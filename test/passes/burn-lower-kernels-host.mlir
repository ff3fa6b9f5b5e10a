// RUN: burn-opt %s --burn-fuse --burn-plan-memory --burn-lower-kernels=scalar --split-input-file --verify-diagnostics | FileCheck %s

// Tests that an assert on a GPU is a kernel of one task that leaves the number of its check, so that the host need not
// wait for the predicate.

// CHECK: burn.checks = [{message = "burn.assert: holds"
// CHECK: burn.launches = [{buffers = [{buffer = 0 : i64}, {error}], checks = 1 : i64
// CHECK-SAME: first_check = 0 : i64, func = @assert_0, tasks = 1 : i64}
// CHECK-LABEL: func.func private @assert_0
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: index, %[[P:.*]]: memref<1xi8>, %[[ERROR:.*]]: memref<1xi32>)
// CHECK: %[[HOLDS:.*]] = memref.load %[[P]]
// CHECK: %[[FAILS:.*]] = arith.cmpi eq, %[[HOLDS]], %{{.*}} : i8
// CHECK: scf.if %[[FAILS]]
// CHECK: memref.store %{{.*}}, %[[ERROR]]
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = burn.assert "holds" %p, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Tests that a print is a call of the host in the course of the plan, on a GPU too.

// CHECK: burn.launches = [{buffers = [{buffer = 0 : i64}], host_call = 0 : i64}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = burn.print "x" %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Tests that a kernel of the host is an error at the op where the target is no CPU.

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{calls a kernel of the host, which a GPU cannot}}
  %r = burn.custom_kernel "square" version 1 (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

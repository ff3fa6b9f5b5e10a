// RUN: burn-opt %s --burn-fuse | FileCheck %s
// RUN: burn-opt %s --burn-fuse=enabled=false | FileCheck %s --check-prefix=ALONE

// Tests that a chain of elementwise ops is one kernel, its constants inside: a GELU written out.
// CHECK-LABEL: @gelu
// CHECK-NEXT: %[[R:.*]] = burn.fused elementwise (%{{.*}}) : (tensor<7x33xf32>) -> tensor<7x33xf32> {
// CHECK-DAG: burn.div
// CHECK-DAG: burn.erf
// CHECK-DAG: burn.mul
// CHECK: burn.yield
// CHECK-NOT: burn.fused
// CHECK: return %[[R]]

// Tests that without fusion every op is a kernel of its own, and rank-0 constants stay outside.
// ALONE-LABEL: @gelu
// ALONE-DAG: burn.constant dense<2.000000e+00> : tensor<f32>
// ALONE-COUNT-9: burn.fused elementwise
// ALONE-NOT: burn.fused
// ALONE: return
func.func @gelu(%x: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %two = burn.constant dense<2.0> : tensor<f32>
  %root = burn.sqrt %two : tensor<f32>
  %roots = burn.broadcast %root {dims = array<i64>} : tensor<f32> to tensor<7x33xf32>
  %one = burn.constant dense<1.0> : tensor<7x33xf32>
  %s = burn.div %x, %roots : tensor<7x33xf32>
  %e = burn.erf %s : tensor<7x33xf32>
  %p = burn.add %e, %one : tensor<7x33xf32>
  %m = burn.mul %x, %p : tensor<7x33xf32>
  %twos = burn.broadcast %two {dims = array<i64>} : tensor<f32> to tensor<7x33xf32>
  %r = burn.div %m, %twos : tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}

// Tests that a product takes its bias and activation, and that its own value may be a result too.
// CHECK-LABEL: @linear
// CHECK: burn.fused contraction ({{.*}}) : {{.*}} -> (tensor<64x128xf32>, tensor<64x128xf32>)
// CHECK: burn.dot_general
// CHECK: burn.broadcast
// CHECK: burn.add
// CHECK: burn.relu
// CHECK: burn.yield
// CHECK-NOT: burn.fused
// CHECK: return
func.func @linear(%x: tensor<64x784xf32>, %w: tensor<128x784xf32>, %b: tensor<128xf32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %p = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 1>} : tensor<64x784xf32>, tensor<128x784xf32> to tensor<64x128xf32>
  %bs = burn.broadcast %b {dims = array<i64: 1>} : tensor<128xf32> to tensor<64x128xf32>
  %s = burn.add %p, %bs : tensor<64x128xf32>
  %r = burn.relu %s : tensor<64x128xf32>
  return %r, %s : tensor<64x128xf32>, tensor<64x128xf32>
}

// Tests that the step of an optimizer stands in the kernel of the weight's gradient, with a result for
// each state, and that the forward product comes first: it reads the old weight.
// CHECK-LABEL: @step
// CHECK: %[[Y:.*]] = burn.fused contraction (%[[X:[a-z0-9]*]], %[[W:[a-z0-9]*]])
// CHECK: %[[S:.*]]:2 = burn.fused contraction ({{.*}}) : {{.*}} -> (tensor<784x128xf32>, tensor<784x128xf32>)
// CHECK: burn.dot_general
// CHECK: burn.sub
// CHECK-NOT: burn.fused
// CHECK: return %[[Y]], %[[S]]#{{[01]}}, %[[S]]#{{[01]}}
func.func @step(%x: tensor<64x784xf32>, %g: tensor<64x128xf32>, %w: tensor<784x128xf32>, %m: tensor<784x128xf32>,
                %rate: tensor<f32>, %decay: tensor<f32>)
    -> (tensor<64x128xf32>, tensor<784x128xf32>, tensor<784x128xf32>) {
  %y = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x784xf32>, tensor<784x128xf32> to tensor<64x128xf32>
  %gw = burn.dot_general %x, %g {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>,
      rhs_contract = array<i64: 0>} : tensor<64x784xf32>, tensor<64x128xf32> to tensor<784x128xf32>
  %d = burn.broadcast %decay {dims = array<i64>} : tensor<f32> to tensor<784x128xf32>
  %l = burn.broadcast %rate {dims = array<i64>} : tensor<f32> to tensor<784x128xf32>
  %md = burn.mul %m, %d : tensor<784x128xf32>
  %m2 = burn.add %md, %gw : tensor<784x128xf32>
  %u = burn.mul %m2, %l : tensor<784x128xf32>
  %w2 = burn.sub %w, %u : tensor<784x128xf32>
  return %y, %w2, %m2 : tensor<64x128xf32>, tensor<784x128xf32>, tensor<784x128xf32>
}

// Tests that a softmax with what stands before and behind it is one row kernel, which says what it runs over.
// CHECK-LABEL: @softmax
// CHECK: burn.fused row ({{.*}}) {domain = array<i64: 401, 101>, reduce_dims = array<i64: 1>}
// CHECK: burn.reduce max
// CHECK: burn.exp
// CHECK: burn.reduce sum
// CHECK: burn.div
// CHECK: burn.tanh
// CHECK-NOT: burn.fused
// CHECK: return
func.func @softmax(%x: tensor<401x101xf32>, %y: tensor<401x101xf32>) -> tensor<401x101xf32> {
  %z = burn.add %x, %y : tensor<401x101xf32>
  %m = burn.reduce max %z {dims = array<i64: 1>} : tensor<401x101xf32> to tensor<401xf32>
  %mb = burn.broadcast %m {dims = array<i64: 0>} : tensor<401xf32> to tensor<401x101xf32>
  %c = burn.sub %z, %mb : tensor<401x101xf32>
  %e = burn.exp %c : tensor<401x101xf32>
  %s = burn.reduce sum %e {dims = array<i64: 1>} : tensor<401x101xf32> to tensor<401xf32>
  %sb = burn.broadcast %s {dims = array<i64: 0>} : tensor<401xf32> to tensor<401x101xf32>
  %p = burn.div %e, %sb : tensor<401x101xf32>
  %t = burn.tanh %p : tensor<401x101xf32>
  return %t : tensor<401x101xf32>
}

// Tests that two kernels stay apart where one between them must run in between: the product reads the sum,
// and the last op reads both.
// CHECK-LABEL: @between
// CHECK: burn.fused elementwise
// CHECK: burn.exp
// CHECK: burn.fused contraction
// CHECK: burn.dot_general
// CHECK: burn.add
// CHECK: return
func.func @between(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = burn.exp %a : tensor<32x32xf32>
  %p = burn.dot_general %e, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<32x32xf32>, tensor<32x32xf32> to tensor<32x32xf32>
  %r = burn.add %p, %e : tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// Tests that elementwise ops around a gather do not become one kernel.
// CHECK-LABEL: @around
// CHECK: burn.fused elementwise
// CHECK-NEXT: ^bb0
// CHECK-NEXT: burn.neg
// CHECK-NEXT: burn.yield
// CHECK: burn.fused single
// CHECK: burn.gather
// CHECK: burn.fused elementwise
// CHECK: burn.add
// CHECK: return
func.func @around(%a: tensor<8x4xf32>, %i: tensor<8xi64>) -> tensor<8x4xf32> {
  %n = burn.neg %a : tensor<8x4xf32>
  %t = burn.gather clip %n, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
      start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>}
      : tensor<8x4xf32>, tensor<8xi64> to tensor<8x4xf32>
  %r = burn.add %t, %n : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// Tests that nothing over the whole domain follows a reduction that is computed in blocks, while what stands
// before it and what is done with its result alone do.
// CHECK-LABEL: @split
// CHECK: burn.fused row ({{.*}}) {domain = array<i64: 100000>, reduce_dims = array<i64: 0>}
// CHECK: burn.mul
// CHECK: burn.reduce sum
// CHECK: burn.fused elementwise
// CHECK: burn.sub
// CHECK: return
func.func @split(%x: tensor<100000xf32>) -> tensor<100000xf32> {
  %q = burn.mul %x, %x : tensor<100000xf32>
  %s = burn.reduce sum %q {dims = array<i64: 0>} : tensor<100000xf32> to tensor<f32>
  %r = burn.sqrt %s : tensor<f32>
  %b = burn.broadcast %r {dims = array<i64>} : tensor<f32> to tensor<100000xf32>
  %d = burn.sub %x, %b : tensor<100000xf32>
  return %d : tensor<100000xf32>
}

// Tests that a value is not computed in the kernel of a reader that needs it at another index.
// CHECK-LABEL: @elsewhere
// CHECK-COUNT-2: burn.fused elementwise
// CHECK: return
func.func @elsewhere(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = burn.exp %x : tensor<16x16xf32>
  %t = burn.transpose %e {perm = array<i64: 1, 0>} : tensor<16x16xf32> to tensor<16x16xf32>
  %r = burn.add %e, %t : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// Tests that ops which only move data stand in the kernel that reads them, whatever they read.
// CHECK-LABEL: @views
// CHECK: burn.fused elementwise (%{{[a-z0-9]*}}, %{{[a-z0-9]*}}) :
// CHECK-DAG: burn.transpose
// CHECK-DAG: burn.slice
// CHECK-DAG: burn.reverse
// CHECK: burn.add
// CHECK-NOT: burn.fused
// CHECK: return
func.func @views(%x: tensor<5x7xf32>, %y: tensor<9x5xf32>) -> tensor<7x5xf32> {
  %t = burn.transpose %x {perm = array<i64: 1, 0>} : tensor<5x7xf32> to tensor<7x5xf32>
  %s = burn.slice %y {starts = array<i64: 1, 0>, sizes = array<i64: 7, 5>, strides = array<i64: 1, 1>}
      : tensor<9x5xf32> to tensor<7x5xf32>
  %v = burn.reverse %s {dims = array<i64: 0>} : tensor<7x5xf32>
  %r = burn.add %t, %v : tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}

// Tests that reductions over one domain which read a common value share a kernel.
// CHECK-LABEL: @siblings
// CHECK: burn.fused row
// CHECK-DAG: burn.reduce sum
// CHECK-DAG: burn.reduce max
// CHECK-NOT: burn.fused
// CHECK: return
func.func @siblings(%x: tensor<401x101xf32>) -> (tensor<401xf32>, tensor<401xf32>) {
  %s = burn.reduce sum %x {dims = array<i64: 1>} : tensor<401x101xf32> to tensor<401xf32>
  %m = burn.reduce max %x {dims = array<i64: 1>} : tensor<401x101xf32> to tensor<401xf32>
  return %s, %m : tensor<401xf32>, tensor<401xf32>
}

// Tests that a reshape between buffers needs no kernel, and that a constant which is returned is copied.
// CHECK-LABEL: @bare
// CHECK: %[[C:.*]] = burn.constant
// CHECK: %[[COPY:.*]] = burn.fused elementwise (%[[C]])
// CHECK: burn.slice
// CHECK: %[[R:.*]] = burn.reshape %{{.*}} : tensor<6xf32>
// CHECK-NOT: burn.fused
// CHECK: return %[[R]], %[[COPY]]
func.func @bare(%x: tensor<6xf32>) -> (tensor<2x3xf32>, tensor<3xi32>) {
  %r = burn.reshape %x : tensor<6xf32> to tensor<2x3xf32>
  %c = burn.constant dense<[1, 2, 3]> : tensor<3xi32>
  return %r, %c : tensor<2x3xf32>, tensor<3xi32>
}

// Tests that control flow, host kernels and barriers stay outside of kernels, that regions are fused on their own, and
// that nothing is fused across a barrier.
// CHECK-LABEL: @standing
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[A:.*]] = burn.fused elementwise (%[[X]])
// CHECK: burn.exp
// CHECK-NOT: burn.tanh
// CHECK: %[[B:.*]] = burn.barrier %[[A]]
// CHECK: %[[C:.*]] = burn.fused elementwise (%[[B]])
// CHECK: burn.tanh
// CHECK: %[[K:.*]] = burn.custom_kernel "own" version 1 (%[[C]])
// CHECK: %[[R:.*]] = burn.if %{{.*}} (%[[K]])
// CHECK: ^bb0(%[[IN:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[F:.*]] = burn.fused elementwise (%[[IN]])
// CHECK: burn.neg
// CHECK: burn.exp
// CHECK: burn.yield %[[F]]
// CHECK: return %[[R]]
func.func @standing(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %a = burn.exp %x : tensor<4xf32>
  %b = burn.barrier %a : tensor<4xf32>
  %c = burn.tanh %b : tensor<4xf32>
  %k = burn.custom_kernel "own" version 1 (%c) : (tensor<4xf32>) -> tensor<4xf32>
  %r = burn.if %p (%k) : (tensor<4xf32>) -> tensor<4xf32> then {
  ^bb0(%in: tensor<4xf32>):
    %n = burn.neg %in : tensor<4xf32>
    %e = burn.exp %n : tensor<4xf32>
    burn.yield %e : tensor<4xf32>
  } else {
  ^bb0(%in: tensor<4xf32>):
    burn.yield %in : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

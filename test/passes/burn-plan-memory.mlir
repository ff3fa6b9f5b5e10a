// RUN: burn-opt %s --burn-fuse=enabled=false --burn-plan-memory | FileCheck %s
// RUN: burn-opt %s --burn-fuse --burn-plan-memory | FileCheck %s --check-prefix=FUSED

// Tests that values whose lives do not overlap share memory: of a chain of ops that cannot work in place,
// two buffers of 256 bytes take turns.
// CHECK-LABEL: @turns
// CHECK-SAME: burn.arena_bytes = 512 : i64
// CHECK-SAME: burn.results = [{fresh}]
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{arena = 256 : i64}]
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{result = 0 : i64}]
func.func @turns(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = burn.transpose %x {perm = array<i64: 1, 0>} : tensor<8x8xf32> to tensor<8x8xf32>
  %b = burn.reverse %a {dims = array<i64: 0>} : tensor<8x8xf32>
  %c = burn.transpose %b {perm = array<i64: 1, 0>} : tensor<8x8xf32> to tensor<8x8xf32>
  %d = burn.reverse %c {dims = array<i64: 0>} : tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// Tests that an op which reads an operand at its own place alone takes over the operand's memory.
// CHECK-LABEL: @in_place
// CHECK-SAME: burn.arena_bytes = 256 : i64
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{result = 0 : i64}]
func.func @in_place(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = burn.exp %x : tensor<8x8xf32>
  %b = burn.neg %a : tensor<8x8xf32>
  %c = burn.tanh %b : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// Tests that it does not while the operand is read later.
// CHECK-LABEL: @read_later
// CHECK-SAME: burn.arena_bytes = 512 : i64
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{arena = 256 : i64}]
// CHECK: burn.place = [{result = 0 : i64}]
func.func @read_later(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = burn.exp %x : tensor<8x8xf32>
  %b = burn.neg %a : tensor<8x8xf32>
  %c = burn.add %a, %b : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// Tests that a value of another element type or shape does not take over memory, even of equal size.
// CHECK-LABEL: @other_type
// CHECK-SAME: burn.arena_bytes = 128 : i64
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{arena = 64 : i64}]
// CHECK: burn.place = [{result = 0 : i64}]
func.func @other_type(%x: tensor<4xf32>) -> tensor<4xf64> {
  %a = burn.exp %x : tensor<4xf32>
  %b = burn.convert %a : tensor<4xf32> to tensor<4xf64>
  %c = burn.exp %b : tensor<4xf64>
  return %c : tensor<4xf64>
}

// Tests that a donated argument gives its memory to a result that may stand there, and that an argument which
// is not donated keeps its own.
// CHECK-LABEL: @donated
// CHECK-SAME: burn.results = [{donated = 0 : i64}, {fresh}]
// CHECK: burn.place = [{arg = 0 : i64}]
// CHECK: burn.place = [{result = 1 : i64}]
func.func @donated(%x: tensor<8xf32> {burn.donated}, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = burn.exp %x : tensor<8xf32>
  %b = burn.exp %y : tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Tests that a donated argument which is read again, or elsewhere than at the place of the result, stays whole.
// CHECK-LABEL: @still_needed
// CHECK-SAME: burn.results = [{fresh}, {donated = 0 : i64}]
// CHECK: burn.place = [{result = 0 : i64}]
// CHECK: burn.place = [{arg = 0 : i64}]
func.func @still_needed(%x: tensor<8xf32> {burn.donated}) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = burn.exp %x : tensor<8xf32>
  %b = burn.add %a, %x : tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: @reversed
// CHECK-SAME: burn.results = [{fresh}]
func.func @reversed(%x: tensor<8xf32> {burn.donated}) -> tensor<8xf32> {
  %a = burn.reverse %x {dims = array<i64: 0>} : tensor<8xf32>
  return %a : tensor<8xf32>
}

// Tests that of two results of one kernel one takes over the donated buffer that both are made from.
// FUSED-LABEL: @once
// FUSED-SAME: burn.results = [{donated = 0 : i64}, {fresh}]
// FUSED: burn.place = [{arg = 0 : i64}, {result = 1 : i64}]
func.func @once(%x: tensor<8xf32> {burn.donated}) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = burn.exp %x : tensor<8xf32>
  %b = burn.neg %x : tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Tests results that are arguments, other results, or either of them in another shape: nothing is copied.
// CHECK-LABEL: @passed_through
// CHECK-SAME: burn.results = [{arg = 0 : i64}, {fresh}, {result = 1 : i64}, {result = 1 : i64}, {arg = 1 : i64}]
func.func @passed_through(%x: tensor<6xf32>, %y: tensor<4xf32>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2x2xf32>) {
  %a = burn.exp %x : tensor<6xf32>
  %b = burn.reshape %a : tensor<6xf32> to tensor<2x3xf32>
  %c = burn.reshape %y : tensor<4xf32> to tensor<2x2xf32>
  return %x, %a, %a, %b, %c : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2x2xf32>
}

// Tests that a donated argument which is returned as it stands is overwritten by nobody.
// CHECK-LABEL: @returned_itself
// CHECK-SAME: burn.results = [{arg = 0 : i64}, {fresh}]
func.func @returned_itself(%x: tensor<6xf32> {burn.donated}) -> (tensor<6xf32>, tensor<6xf32>) {
  %a = burn.exp %x : tensor<6xf32>
  return %x, %a : tensor<6xf32>, tensor<6xf32>
}

// Tests that tensors without elements take no memory.
// CHECK-LABEL: @empty
// CHECK-SAME: burn.arena_bytes = 0 : i64
func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %a = burn.exp %x : tensor<0x3xf32>
  %b = burn.neg %a : tensor<0x3xf32>
  return %b : tensor<0x3xf32>
}

// Tests that a scan takes over the memory of its operand, and a scatter does not where its operand is read as indices
// too.
// CHECK-LABEL: @scan_in_place
// CHECK-SAME: burn.arena_bytes = 256 : i64
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{arena = 0 : i64}]
// CHECK: burn.place = [{result = 0 : i64}]
func.func @scan_in_place(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = burn.exp %x : tensor<8x8xf32>
  %b = burn.scan sum %a {axis = 0, exclusive = true, reverse = false} : tensor<8x8xf32>
  %c = burn.transpose %b {perm = array<i64: 1, 0>} : tensor<8x8xf32> to tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// CHECK-LABEL: @scatter_by_itself
// CHECK-SAME: burn.arena_bytes = 128 : i64
func.func @scatter_by_itself(%x: tensor<8xi64>, %u: tensor<8xi64>) -> tensor<8xi64> {
  %a = burn.neg %x : tensor<8xi64>
  %b = burn.scatter add clip %a, %a, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<8xi64>, tensor<8xi64>, tensor<8xi64>
  %c = burn.reverse %b {dims = array<i64: 0>} : tensor<8xi64>
  return %c : tensor<8xi64>
}

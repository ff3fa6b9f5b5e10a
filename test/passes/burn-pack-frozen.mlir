// RUN: burn-opt %s --split-input-file --pass-pipeline='builtin.module(burn-hoist-frozen,func.func(burn-fuse{convert-on-read=true}),func.func(burn-tile-matmul),burn-pack-frozen)' | FileCheck %s
// RUN: burn-opt %s --split-input-file --pass-pipeline='builtin.module(burn-hoist-frozen,func.func(burn-fuse{convert-on-read=true}),func.func(burn-tile-matmul{cpu=sapphirerapids}),burn-pack-frozen)' | FileCheck %s --check-prefix=AMX

// Tests that a frozen right-hand side is packed by the preparing function, and that the kernel reads the panels alone.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<64x32xf32>, %[[W:.*]]: tensor<32x48xf32> {burn.frozen}, %[[P:.*]]: tensor<6144xi8> {burn.derived})
// CHECK: burn.fused contraction (%[[X]], %[[P]])
// CHECK: %[[U:.*]] = burn.unpack_panels %{{.*}} : tensor<6144xi8> to tensor<32x48xf32>
// CHECK: burn.dot_general %{{.*}}, %[[U]] {burn.tiling = {{.*}}ready = ["lanes"]
// CHECK-LABEL: func.func private @product_prepare(
// CHECK: %[[Q:.*]] = burn.fused contraction (%arg1)
// CHECK: %[[Z:.*]] = burn.constant dense<0.000000e+00> : tensor<64x32xf32>
// CHECK: %[[D:.*]] = burn.dot_general %[[Z]], %{{.*}} {burn.tiling = {{.*}}ready = ["lanes"]
// CHECK: burn.pack_panels 1 of %[[D]] : tensor<64x48xf32> to tensor<6144xi8>
// CHECK: return %[[Q]]
func.func @product(%x: tensor<64x32xf32>, %w: tensor<32x48xf32> {burn.frozen}) -> tensor<64x48xf32> {
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x32xf32>, tensor<32x48xf32> to tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

// Tests that a weight that two products read alike is packed once, and that a derived value which is only packed is no
// longer kept.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[P:[a-z0-9_]*]]: tensor<{{[0-9]*}}xi8> {burn.derived}) ->
// CHECK: burn.fused contraction (%{{.*}}, %[[P]])
// CHECK: burn.fused contraction (%{{.*}}, %[[P]])
// CHECK-LABEL: func.func private @shared_prepare(
// CHECK: burn.exp
// CHECK: burn.pack_panels
// CHECK-NOT: burn.pack_panels
// CHECK-LABEL: func.func @bytes(
func.func @shared(%x: tensor<64x32xf32>, %w: tensor<32x48xf32> {burn.frozen}) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %e = burn.exp %w : tensor<32x48xf32>
  %r = burn.dot_general %x, %e {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x32xf32>, tensor<32x48xf32> to tensor<64x48xf32>
  %y = burn.neg %x : tensor<64x32xf32>
  %s = burn.dot_general %y, %e {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x32xf32>, tensor<32x48xf32> to tensor<64x48xf32>
  return %r, %s : tensor<64x48xf32>, tensor<64x48xf32>
}

// -----

// Tests that bytes are packed for the instruction that multiplies them, behind the conversion.
// AMX-LABEL: func.func @bytes(
// AMX: burn.unpack_panels %{{.*}} to tensor<64x48xi8>
// AMX: burn.convert
// AMX: burn.tiling = {{{.*}}dot = "amx-int8"{{.*}}ready = ["lanes"]
// AMX-LABEL: func.func private @bytes_prepare(
// AMX: burn.constant dense<0> : tensor<64x64xi8>
// AMX: burn.pack_panels 1 of
func.func @bytes(%x: tensor<64x64xi8>, %w: tensor<64x48xi8> {burn.frozen}) -> tensor<64x48xi32> {
  %a = burn.convert %x : tensor<64x64xi8> to tensor<64x64xi32>
  %b = burn.convert %w : tensor<64x48xi8> to tensor<64x48xi32>
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x64xi32>, tensor<64x48xi32> to tensor<64x48xi32>
  return %r : tensor<64x48xi32>
}

// -----

// Tests that the weights of a convolution are packed, as the operand that its kernel has in the role of rows or lanes.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: {burn.derived}
// CHECK: burn.unpack_panels %{{.*}} to tensor<128x64x3x3xf32>
// CHECK: burn.conv
// CHECK-LABEL: func.func private @conv_prepare(
// CHECK: burn.constant dense<0.000000e+00> : tensor<1x64x3x3xf32>
// CHECK: burn.conv
// CHECK: burn.pack_panels 1 of
func.func @conv(%x: tensor<1x64x3x3xf32>, %w: tensor<128x64x3x3xf32> {burn.frozen}) -> tensor<1x128x3x3xf32> {
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,
      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
      pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
      feature_groups = 1, batch_groups = 1} : tensor<1x64x3x3xf32>, tensor<128x64x3x3xf32> to tensor<1x128x3x3xf32>
  return %r : tensor<1x128x3x3xf32>
}

// -----

// Tests that the kernel of a convolution that reads the image in place is packed too.
// CHECK-LABEL: func.func @direct(
// CHECK-SAME: %[[P:[a-z0-9]*]]: tensor<13824xi8> {burn.derived})
// CHECK: burn.fused contraction (%{{.*}}, %[[P]])
// CHECK: %[[U:.*]] = burn.unpack_panels %{{.*}} to tensor<24x3x3x16xf32>
// CHECK: burn.conv %{{.*}}, %[[U]] {{{.*}}burn.panels = array<i64: 24, 3456>
// CHECK-LABEL: func.func private @direct_prepare(
// CHECK: burn.pack_panels 1 of
func.func @direct(%x: tensor<2x12x12x16xf32>, %w: tensor<24x3x3x16xf32> {burn.frozen}) -> tensor<2x12x12x24xf32> {
  %r = burn.conv %x, %w {lhs_dims = array<i64: 0, 3, 1, 2>, rhs_dims = array<i64: 0, 3, 1, 2>,
      out_dims = array<i64: 0, 3, 1, 2>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
      pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
      feature_groups = 1, batch_groups = 1} : tensor<2x12x12x16xf32>, tensor<24x3x3x16xf32> to tensor<2x12x12x24xf32>
  return %r : tensor<2x12x12x24xf32>
}

// -----

// Tests that panels that no cache holds pass once, in tiles of all rows.
// CHECK-LABEL: func.func @stream(
// CHECK: burn.tiling = {block_steps = 4096 : i64, exchange = false, pack = ["lanes"], ready = ["lanes"], task = [8, {{[0-9]+}}], tile = [8, 8]
// AMX-LABEL: func.func @stream(
// AMX: burn.tiling = {block_steps = 4096 : i64, exchange = false, pack = ["lanes"], ready = ["lanes"], task = [8, {{[0-9]+}}], tile = [8, 32]
func.func @stream(%x: tensor<8x4096xf32>, %w: tensor<512x4096xf32> {burn.frozen}) -> tensor<8x512xf32> {
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 1>} : tensor<8x4096xf32>, tensor<512x4096xf32> to tensor<8x512xf32>
  return %r : tensor<8x512xf32>
}

// -----

// Tests that a constant is packed at once, its panels being another constant, and that it is gone where nothing else
// reads it: two steps of eight lanes each, of which three exist.
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %[[X:.*]]: tensor<64x2xf32>) ->
// CHECK-NEXT: %[[P:.*]] = burn.constant dense<[0, 0, -128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -128, 63, 0, 0, -128, 64, 0, 0, -128, 65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<64xi8>
// CHECK-NEXT: burn.fused contraction (%[[X]], %[[P]])
// CHECK: burn.unpack_panels %{{.*}} : tensor<64xi8> to tensor<2x3xf32>
// CHECK-NOT: burn.pack_panels
// CHECK-NOT: _prepare
func.func @constant(%x: tensor<64x2xf32>) -> tensor<64x3xf32> {
  %w = burn.constant dense<[[1.0, 2.0, 3.0], [1.0, 4.0, 16.0]]> : tensor<2x3xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x2xf32>, tensor<2x3xf32> to tensor<64x3xf32>
  return %r : tensor<64x3xf32>
}

// -----

// Tests that a constant stays as it is for its other readers, and that one number for all elements is no data.
// CHECK-LABEL: func.func @read(
// CHECK-DAG: burn.constant dense<{{.*}}> : tensor<2x3xf32>
// CHECK-DAG: burn.constant dense<{{.*}}> : tensor<64xi8>
// CHECK-LABEL: func.func @splat(
// CHECK-NOT: xi8>
func.func @read(%x: tensor<64x2xf32>, %y: tensor<2x3xf32>) -> (tensor<64x3xf32>, tensor<2x3xf32>) {
  %w = burn.constant dense<[[1.0, 2.0, 3.0], [1.0, 4.0, 16.0]]> : tensor<2x3xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x2xf32>, tensor<2x3xf32> to tensor<64x3xf32>
  %s = burn.add %y, %w : tensor<2x3xf32>
  return %r, %s : tensor<64x3xf32>, tensor<2x3xf32>
}
func.func @splat(%x: tensor<64x2xf32>) -> tensor<64x3xf32> {
  %w = burn.constant dense<1.0> : tensor<2x3xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x2xf32>, tensor<2x3xf32> to tensor<64x3xf32>
  return %r : tensor<64x3xf32>
}

// -----

// Tests that a loop reads panels that the preparing function has packed, of a weight that is frozen, and those that are
// packed in front of it, of one that is not.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<32x32xf32>, %[[P:[a-z0-9]*]]: tensor<4096xi8> {burn.derived})
// CHECK: %[[Q:.*]] = burn.fused contraction (%[[V]]) : (tensor<32x32xf32>) -> tensor<4096xi8>
// CHECK: burn.pack_panels
// CHECK: burn.for {{.*}} invariants(%[[P]], %[[Q]])
// CHECK-NOT: burn.pack_panels
// CHECK-LABEL: func.func private @loop_prepare(
// CHECK: burn.pack_panels
func.func @loop(%x: tensor<64x32xf32>, %w: tensor<32x32xf32> {burn.frozen}, %v: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %lo = burn.constant dense<0> : tensor<i64>
  %hi = burn.constant dense<3> : tensor<i64>
  %st = burn.constant dense<1> : tensor<i64>
  %r = burn.for %lo to %hi step %st (%x) invariants (%w, %v)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<64x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<64x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>):
    %d = burn.dot_general %c, %a {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<64x32xf32>, tensor<32x32xf32> to tensor<64x32xf32>
    %e = burn.dot_general %d, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<64x32xf32>, tensor<32x32xf32> to tensor<64x32xf32>
    burn.yield %e : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}

// -----

// Tests that data kept beside the text are packed like any.
// CHECK-LABEL: func.func @resource(
// CHECK: burn.unpack_panels %{{.*}} : tensor<64xi8> to tensor<2x3xf32>
func.func @resource(%x: tensor<64x2xf32>) -> tensor<64x3xf32> {
  %w = burn.constant dense_resource<weights> : tensor<2x3xf32>
  %r = burn.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<64x2xf32>, tensor<2x3xf32> to tensor<64x3xf32>
  return %r : tensor<64x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040000040400000803F0000804000008041"
    }
  }
#-}

// RUN: burn-opt %s --burn-tile-matmul=cpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: burn-opt %s --burn-tile-matmul=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: burn-opt %s --burn-tile-matmul=cpu=x86-64-v4 --burn-tile-matmul=cpu=icelake-server | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: burn-opt %s --burn-tile-matmul=cpu=sapphirerapids | FileCheck %s --check-prefix=TILES
// RUN: burn-opt %s --burn-tile-matmul="cpu=sapphirerapids deterministic=false" | FileCheck %s --check-prefix=FREE
// RUN: burn-opt %s --burn-tile-matmul="cpu=icelake-server deterministic=false" | FileCheck %s --check-prefix=DOTS
// RUN: burn-opt %s --burn-tile-matmul="cpu=cooperlake deterministic=false" | FileCheck %s --check-prefix=PAIRS

// Tests that the register tile follows the target, and that a tiling which stands is kept.
// CHECK-LABEL: @product
// WIDE: burn.dot_general
// WIDE-SAME: burn.tiling = {
// WIDE-SAME: pack = ["lanes"]
// WIDE-SAME: tile = [6, 64]
// WIDE-SAME: vector_lanes = 16
// NARROW: burn.dot_general
// NARROW-SAME: burn.tiling = {
// NARROW-SAME: pack = ["lanes"]
// NARROW-SAME: tile = [6, 16]
// NARROW-SAME: vector_lanes = 8
func.func @product(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<512x512xf32>, tensor<512x512xf32> to tensor<512x512xf32>
  return %c : tensor<512x512xf32>
}

// Tests that a small product reads its operands in place.
// CHECK-LABEL: @small
// CHECK: burn.dot_general
// CHECK-SAME: pack = []
func.func @small(%a: tensor<48x48xf32>, %b: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<48x48xf32>, tensor<48x48xf32> to tensor<48x48xf32>
  return %c : tensor<48x48xf32>
}

// Tests that a padded convolution packs the operand whose elements may be missing.
// CHECK-LABEL: @convolution
// CHECK: burn.conv
// CHECK-SAME: burn.tiling = {
// CHECK-SAME: exchange = false
// CHECK-SAME: pack = ["lanes"]
func.func @convolution(%x: tensor<8x16x14x14xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<8x32x14x14xf32> {
  %y = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,
      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
      pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
      feature_groups = 1, batch_groups = 1}
      : tensor<8x16x14x14xf32>, tensor<32x16x3x3xf32> to tensor<8x32x14x14xf32>
  return %y : tensor<8x32x14x14xf32>
}

// Tests that rows whose steps lie far apart are packed, on either target.
// CHECK-LABEL: @turned
// CHECK: burn.dot_general
// CHECK-SAME: pack = ["rows", "lanes"]
func.func @turned(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>,
      rhs_contract = array<i64: 0>} : tensor<1024x1024xf32>, tensor<1024x1024xf32> to tensor<1024x1024xf32>
  return %c : tensor<1024x1024xf32>
}

// Tests that a vector times a matrix goes through long rows of it, a few at a time.
// CHECK-LABEL: @vector
// CHECK: burn.dot_general
// CHECK-SAME: block_steps = 16
// CHECK-SAME: pack = []
// CHECK-SAME: task = [1, 1024]
func.func @vector(%a: tensor<1x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<1x4096xf32>, tensor<4096x4096xf32> to tensor<1x4096xf32>
  return %c : tensor<1x4096xf32>
}

// Tests that the elements of a matrix are turned in registers where a vector meets its rows.
// CHECK-LABEL: @matrix_vector
// CHECK: burn.dot_general
// CHECK-SAME: block_steps = 4096
// CHECK-SAME: pack = []
// CHECK-SAME: tile = [1, 16]
func.func @matrix_vector(%a: tensor<4096x4096xf32>, %b: tensor<4096x1xf32>) -> tensor<4096x1xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<4096x4096xf32>, tensor<4096x1xf32> to tensor<4096x1xf32>
  return %c : tensor<4096x1xf32>
}

// Tests that few rows go through a wide right-hand side in long runs of few steps.
// CHECK-LABEL: @wide
// WIDE: burn.dot_general
// WIDE-SAME: block_steps = 128
// WIDE-SAME: pack = ["lanes"]
// WIDE-SAME: task = [36, 768]
// NARROW: burn.dot_general
// NARROW-SAME: block_steps = 32
// NARROW-SAME: pack = []
// NARROW-SAME: task = [32, 768]
func.func @wide(%a: tensor<32x768xf32>, %b: tensor<768x3072xf32>) -> tensor<32x3072xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<32x768xf32>, tensor<768x3072xf32> to tensor<32x3072xf32>
  return %c : tensor<32x3072xf32>
}

// Tests that short sums write the result in long runs, under lanes that stay packed.
// CHECK-LABEL: @short
// CHECK: burn.dot_general
// CHECK-SAME: pack = ["lanes"]
// CHECK-SAME: task = [48, 512]
func.func @short(%a: tensor<64x784xf32>, %b: tensor<64x512xf32>) -> tensor<784x512xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>,
      rhs_contract = array<i64: 0>} : tensor<64x784xf32>, tensor<64x512xf32> to tensor<784x512xf32>
  return %c : tensor<784x512xf32>
}

// Tests that large operands are cut in blocks of steps, under long blocks of the result.
// CHECK-LABEL: @large
// WIDE: burn.dot_general
// WIDE-SAME: block_steps = 1024
// WIDE-SAME: pack = ["lanes"]
// WIDE-SAME: task = [258, 1024]
// NARROW: burn.dot_general
// NARROW-SAME: block_steps = 256
// NARROW-SAME: pack = ["rows", "lanes"]
// NARROW-SAME: task = [258, 1024]
func.func @large(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<2048x2048xf32>, tensor<2048x2048xf32> to tensor<2048x2048xf32>
  return %c : tensor<2048x2048xf32>
}

// Tests that 8-bit integers, converted for the product alone, take the instruction that the target has for them: sums of
// integers are the same in any order.
// CHECK-LABEL: @bytes
// WIDE: burn.dot_general
// WIDE-SAME: dot = "vpmaddwd"
// WIDE-SAME: tile = [6, 64]
// NARROW: burn.dot_general
// NARROW-SAME: dot = "vpmaddwd"
// NARROW-SAME: tile = [5, 16]
// TILES-LABEL: @bytes
// TILES: burn.dot_general
// TILES-SAME: dot = "amx-int8"
// TILES-SAME: tile = [32, 32]
// DOTS-LABEL: @bytes
// DOTS: burn.dot_general
// DOTS-SAME: dot = "vpdpbusd"
func.func @bytes(%a: tensor<256x256xi8>, %b: tensor<256x256xui8>) -> tensor<256x256xi32> {
  %x = burn.convert %a : tensor<256x256xi8> to tensor<256x256xi32>
  %y = burn.convert %b : tensor<256x256xui8> to tensor<256x256xi32>
  %c = burn.dot_general %x, %y {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<256x256xi32>, tensor<256x256xi32> to tensor<256x256xi32>
  return %c : tensor<256x256xi32>
}

// Tests that unsigned words, which no instruction multiplies, go the plain way, but not where the result has no more bits.
// CHECK-LABEL: @words
// CHECK: burn.dot_general
// CHECK-NOT: dot =
// CHECK: burn.dot_general
// CHECK-SAME: dot = "vpmaddwd"
func.func @words(%a: tensor<256x256xui16>, %b: tensor<256x256xui16>) -> (tensor<256x256xi32>, tensor<256x256xui16>) {
  %x = burn.convert %a : tensor<256x256xui16> to tensor<256x256xi32>
  %y = burn.convert %b : tensor<256x256xui16> to tensor<256x256xi32>
  %c = burn.dot_general %x, %y {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<256x256xi32>, tensor<256x256xi32> to tensor<256x256xi32>
  %d = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<256x256xui16>, tensor<256x256xui16> to tensor<256x256xui16>
  return %c, %d : tensor<256x256xi32>, tensor<256x256xui16>
}

// Tests that signed words take the instruction that adds up as well.
// CHECK-LABEL: @signed_words
// CHECK: burn.dot_general
// CHECK-SAME: dot = "vpmaddwd"
// DOTS-LABEL: @signed_words
// DOTS: burn.dot_general
// DOTS-SAME: dot = "vpdpwssd"
// PAIRS-LABEL: @signed_words
// PAIRS: burn.dot_general
// PAIRS-SAME: dot = "vpdpwssd"
func.func @signed_words(%a: tensor<256x256xi16>, %b: tensor<256x256xi16>) -> tensor<256x256xi16> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<256x256xi16>, tensor<256x256xi16> to tensor<256x256xi16>
  return %c : tensor<256x256xi16>
}

// Tests that sums of bf16 keep their order, and with it their bits, unless that is free.
// TILES-LABEL: @brain
// TILES: burn.dot_general
// TILES-NOT: dot =
// TILES: return
// FREE-LABEL: @brain
// FREE: burn.dot_general
// FREE-SAME: dot = "amx-bf16"
// PAIRS-LABEL: @brain
// PAIRS: burn.dot_general
// PAIRS-SAME: dot = "vdpbf16ps"
// DOTS-LABEL: @brain
// DOTS: burn.dot_general
// DOTS-NOT: dot =
// DOTS: return
func.func @brain(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<256x256xbf16>, tensor<256x256xbf16> to tensor<256x256xbf16>
  return %c : tensor<256x256xbf16>
}

#include "test/unit/compiler/KernelRun.h"

using namespace burn;
using namespace burn::test;

TEST_CASE("elementwise kernels: chains over all sizes of rest") {
  for (int size : {1, 15, 16, 17, 64, 100, 1000, 70000}) {
    const std::string type = "tensor<" + std::to_string(size) + "xf32>";
    checkCluster("%a: " + type + ", %b: " + type, R"(
      %r:2 = burn.fused elementwise (%a, %b) : ()" + type +
                                                      ", " + type + ") -> (" + type + ", " + type + R"() {
      ^bb0(%x: )" + type + ", %y: " + type + R"():
        %s = burn.add %x, %y : )" + type + R"(
        %t = burn.tanh %s : )" + type + R"(
        %u = burn.exp %t : )" + type + R"(
        %v = burn.mul %u, %x : )" + type + R"(
        burn.yield %v, %t : )" + type + ", " + type + R"(
      })");
  }
}

TEST_CASE("elementwise kernels: broadcasts in every position, scalars, comparisons") {
  for (auto [rows, columns] : {std::pair(5, 10), {64, 128}, {7, 33}, {3, 2000}, {200, 3}}) {
    const std::string m = std::to_string(rows), n = std::to_string(columns);
    const std::string full = "tensor<" + m + "x" + n + "xf32>", row = "tensor<" + n + "xf32>",
                      column = "tensor<" + m + "xf32>", flags = "tensor<" + m + "x" + n + "xi1>";
    checkCluster("%a: " + full + ", %b: " + row + ", %c: " + column + ", %d: tensor<f32>", R"(
      %r:2 = burn.fused elementwise (%a, %b, %c, %d) : ()" + full + ", " + row + ", " + column +
                                                                                               ", tensor<f32>) -> (" +
                                                                                               full + ", " + flags +
                                                                                               R"() {
      ^bb0(%x: )" + full + ", %y: " + row + ", %z: " + column + R"(, %w: tensor<f32>):
        %yy = burn.broadcast %y {dims = array<i64: 1>} : )" + row + " to " + full + R"(
        %zz = burn.broadcast %z {dims = array<i64: 0>} : )" + column + " to " + full + R"(
        %ww = burn.broadcast %w {dims = array<i64>} : tensor<f32> to )" + full + R"(
        %s = burn.add %x, %yy : )" + full + R"(
        %t = burn.mul %s, %zz : )" + full + R"(
        %p = burn.compare gt %t, %ww : )" + full + R"(
        %u = burn.select %p, %t, %ww : )" + flags + ", " + full + R"(
        burn.yield %u, %p : )" + full + ", " + flags + R"(
      })");
  }
}

TEST_CASE("elementwise kernels: views compose") {
  checkCluster("%a: tensor<12x20xf32>, %b: tensor<20x12xf32>, %c: tensor<240xf32>, %d: tensor<f32>", R"(
    %r = burn.fused elementwise (%a, %b, %c, %d)
        : (tensor<12x20xf32>, tensor<20x12xf32>, tensor<240xf32>, tensor<f32>) -> tensor<12x20xf32> {
    ^bb0(%a1: tensor<12x20xf32>, %b1: tensor<20x12xf32>, %c1: tensor<240xf32>, %d1: tensor<f32>):
      %bt = burn.transpose %b1 {perm = array<i64: 1, 0>} : tensor<20x12xf32> to tensor<12x20xf32>
      %cr = burn.reshape %c1 : tensor<240xf32> to tensor<12x20xf32>
      %ar = burn.reverse %a1 {dims = array<i64: 1>} : tensor<12x20xf32>
      %sl = burn.slice %a1 {starts = array<i64: 1, 2>, sizes = array<i64: 5, 6>, strides = array<i64: 2, 3>}
          : tensor<12x20xf32> to tensor<5x6xf32>
      %pd = burn.pad %sl, %d1 {low = array<i64: 2, 1>, high = array<i64: 1, 3>, interior = array<i64: 1, 1>}
          : tensor<5x6xf32>, tensor<f32> to tensor<12x15xf32>
      %tail = burn.slice %b1 {starts = array<i64: 3, 4>, sizes = array<i64: 12, 5>, strides = array<i64: 1, 1>}
          : tensor<20x12xf32> to tensor<12x5xf32>
      %cc = burn.concat %pd, %tail {axis = 1 : i64} : (tensor<12x15xf32>, tensor<12x5xf32>) -> tensor<12x20xf32>
      %up = burn.slice_update %cc, %sl {starts = array<i64: 4, 7>} : tensor<12x20xf32>, tensor<5x6xf32>
      %s0 = burn.add %bt, %cr : tensor<12x20xf32>
      %s1 = burn.add %s0, %ar : tensor<12x20xf32>
      %s2 = burn.sub %s1, %up : tensor<12x20xf32>
      burn.yield %s2 : tensor<12x20xf32>
    })");
}

TEST_CASE("elementwise kernels: generated values") {
  checkCluster("%k: tensor<2xui32>, %c: tensor<ui64>", R"(
    %r:4 = burn.fused elementwise (%k, %c)
        : (tensor<2xui32>, tensor<ui64>) -> (tensor<7x21xui32>, tensor<7x21xui64>, tensor<7x21xf32>, tensor<7x21xi64>) {
    ^bb0(%k1: tensor<2xui32>, %c1: tensor<ui64>):
      %b = burn.rng_bits %k1, %c1 {ordinal = 3} : tensor<7x21xui32>
      %w = burn.rng_bits %k1, %c1 {ordinal = 4} : tensor<7x21xui64>
      %i = burn.iota {dim = 1} : tensor<7x21xi64>
      %j = burn.iota {dim = 0} : tensor<7x21xf32>
      %f = burn.convert %i : tensor<7x21xi64> to tensor<7x21xf32>
      %d = burn.constant dense<[[1.5], [2.5], [3.5], [-4.5], [5.5], [6.5], [0.25]]> : tensor<7x1xf32>
      %dd = burn.broadcast %d {dims = array<i64: 0, 1>} : tensor<7x1xf32> to tensor<7x21xf32>
      %g = burn.mul %f, %j : tensor<7x21xf32>
      %h = burn.add %g, %dd : tensor<7x21xf32>
      burn.yield %b, %w, %h, %i : tensor<7x21xui32>, tensor<7x21xui64>, tensor<7x21xf32>, tensor<7x21xi64>
    })");
}

TEST_CASE("elementwise kernels: every element type") {
  for (std::string element : {"f64", "f32", "f16", "bf16", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}) {
    const std::string type = "tensor<3x37x" + element + ">", flags = "tensor<3x37xi1>", wide = "tensor<3x37xf64>";
    checkCluster("%a: " + type + ", %b: " + type, R"(
      %r:2 = burn.fused elementwise (%a, %b) : ()" + type +
                                                      ", " + type + ") -> (" + type + ", " + wide + R"() {
      ^bb0(%x: )" + type + ", %y: " + type + R"():
        %s = burn.div %x, %y : )" + type + R"(
        %t = burn.max %s, %x : )" + type + R"(
        %p = burn.compare le %t, %y : )" + type + R"(
        %u = burn.select %p, %t, %y : )" + flags + ", " +
                                                      type + R"(
        %v = burn.mul %u, %x : )" + type + R"(
        %w = burn.convert %v : )" + type + " to " + wide +
                                                      R"(
        burn.yield %v, %w : )" + type + ", " + wide + R"(
      })");
  }
}

TEST_CASE("elementwise kernels: empty and scalar results") {
  checkCluster("%a: tensor<0x4xf32>", R"(
    %r = burn.fused elementwise (%a) : (tensor<0x4xf32>) -> tensor<0x4xf32> {
    ^bb0(%x: tensor<0x4xf32>):
      %s = burn.exp %x : tensor<0x4xf32>
      burn.yield %s : tensor<0x4xf32>
    })");
  checkCluster("%a: tensor<f32>", R"(
    %r = burn.fused elementwise (%a) : (tensor<f32>) -> tensor<f32> {
    ^bb0(%x: tensor<f32>):
      %s = burn.exp %x : tensor<f32>
      burn.yield %s : tensor<f32>
    })");
}

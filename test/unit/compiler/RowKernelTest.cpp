#include "test/unit/compiler/KernelRun.h"

#include "passes/Codegen/RowStrategy.h"

using namespace burn;
using namespace burn::test;

namespace {

std::string tensorOf(std::vector<int64_t> shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

std::string listOf(const std::vector<int64_t> &values) {
  std::string text = "array<i64";
  for (size_t i = 0; i != values.size(); ++i)
    text += (i ? ", " : ": ") + std::to_string(values[i]);
  return text + ">";
}

std::vector<int64_t> without(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims) {
  std::vector<int64_t> kept;
  for (size_t i = 0; i != shape.size(); ++i)
    if (std::find(dims.begin(), dims.end(), int64_t(i)) == dims.end())
      kept.push_back(shape[i]);
  return kept;
}

void checkReduce(const std::string &kind, const std::string &element, const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &dims, const ClusterCheck &check = {}) {
  const std::string whole = tensorOf(shape, element), kept = tensorOf(without(shape, dims), element);
  checkCluster("%a: " + whole,
               "%r = burn.fused row (%a) : (" + whole + ") -> " + kept + " {\n^bb0(%x: " + whole +
                   "):\n%s = burn.reduce " + kind + " %x {dims = " + listOf(dims) + "} : " + whole + " to " + kept +
                   "\nburn.yield %s : " + kept + "\n}",
               check);
}

} // namespace

TEST_CASE("row kernels: reductions over any dims") {
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> cases[] = {{{10}, {0}},
                                                                         {{1000}, {0}},
                                                                         {{5, 10}, {1}},
                                                                         {{5, 10}, {0}},
                                                                         {{64, 100}, {1}},
                                                                         {{64, 100}, {0}},
                                                                         {{33, 77}, {0, 1}},
                                                                         {{4, 5, 6}, {1}},
                                                                         {{4, 5, 6}, {0, 2}},
                                                                         {{4, 5, 70}, {0, 2}},
                                                                         {{3, 4, 5, 6}, {0, 2}},
                                                                         {{3, 1, 65}, {2}},
                                                                         {{7, 200}, {1}},
                                                                         {{2, 3, 130}, {1}},
                                                                         {{6, 1}, {1}},
                                                                         {{3, 4}, {}},
                                                                         {{0, 4}, {0}},
                                                                         {{4, 0}, {0}},
                                                                         {{}, {}}};
  for (const auto &[shape, dims] : cases)
    checkReduce("sum", "f32", shape, dims);
}

TEST_CASE("row kernels: split reductions") {
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> cases[] = {
      {{100000}, {0}}, {{3000, 40}, {0}}, {{2, 70001}, {1}}, {{500, 3, 100}, {0, 2}}, {{50, 7, 300, 20}, {0, 1, 2}}};
  for (const auto &[shape, dims] : cases) {
    CHECK(compiler::isSplitReduction(std::span(shape), std::span(dims)));
    checkReduce("sum", "f32", shape, dims);
    checkReduce("max", "f32", shape, dims);
  }
}

TEST_CASE("row kernels: every combiner and element type") {
  for (std::string element : {"f64", "f32", "f16", "bf16", "i8", "i32", "i64", "ui8", "ui32"})
    for (std::string kind : {"sum", "prod", "max", "min"})
      for (std::vector<int64_t> dims : {std::vector<int64_t>{1}, {0}})
        checkReduce(kind, element, {9, 70}, dims, {.largest = 3, .operands = {}});
  for (std::string element : {"i1", "i32"})
    for (std::string kind : {"and", "or"})
      for (std::vector<int64_t> dims : {std::vector<int64_t>{1}, {0}})
        checkReduce(kind, element, {9, 70}, dims);
}

TEST_CASE("row kernels: max takes NaN and signed zeros as they come") {
  ir::HostTensor x(core::TypeDesc{DType::F32, Shape{3, 40}});
  std::fill(x.data<float>().begin(), x.data<float>().end(), -0.f);
  x.data<float>()[13] = NAN;
  x.data<float>()[77] = 0.f;
  checkReduce("max", "f32", {3, 40}, {1}, {.largest = 100, .operands = {{0, x}}});
  checkReduce("min", "f32", {3, 40}, {1}, {.largest = 100, .operands = {{0, x}}});
  checkReduce("max", "f32", {3, 40}, {0}, {.largest = 100, .operands = {{0, x}}});
}

TEST_CASE("row kernels: softmax and layer norm in sweeps") {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{5, 10}, {8, 64}, {3, 777}, {64, 128}}) {
    const std::string t = tensorOf(shape, "f32"), k = tensorOf({shape[0]}, "f32");
    for (int axis : {1, 0}) {
      const std::string kk = tensorOf({shape[1 - axis]}, "f32");
      const std::string back = " {dims = array<i64: " + std::to_string(1 - axis) + ">} : " + kk + " to " + t + "\n";
      const std::string dims = " {dims = array<i64: " + std::to_string(axis) + ">} : " + t + " to " + kk + "\n";
      checkCluster("%a: " + t, "%r:2 = burn.fused row (%a) : (" + t + ") -> (" + t + ", " + kk + ") {\n^bb0(%x: " + t +
                                   "):\n%m = burn.reduce max %x" + dims + "%mm = burn.broadcast %m" + back +
                                   "%d = burn.sub %x, %mm : " + t + "\n%e = burn.exp %d : " + t +
                                   "\n%s = burn.reduce sum %e" + dims + "%l = burn.log %s : " + kk +
                                   "\n%ss = burn.broadcast %s" + back + "%y = burn.div %e, %ss : " + t +
                                   "\nburn.yield %y, %l : " + t + ", " + kk + "\n}");
    }
    const std::string n = "array<i64: 1>";
    checkCluster(
        "%a: " + t + ", %g: " + tensorOf({shape[1]}, "f32"),
        "%r:2 = burn.fused row (%a, %g) : (" + t + ", " + tensorOf({shape[1]}, "f32") + ") -> (" + k + ", " + t +
            ") {\n^bb0(%x: " + t + ", %g1: " + tensorOf({shape[1]}, "f32") + "):\n%c = burn.constant dense<" +
            std::to_string(shape[1]) + ".0> : " + k + "\n%s = burn.reduce sum %x {dims = " + n + "} : " + t + " to " +
            k + "\n%mu = burn.div %s, %c : " + k + "\n%mm = burn.broadcast %mu {dims = array<i64: 0>} : " + k + " to " +
            t + "\n%d = burn.sub %x, %mm : " + t + "\n%q = burn.mul %d, %d : " + t +
            "\n%v = burn.reduce sum %q {dims = " + n + "} : " + t + " to " + k + "\n%var = burn.div %v, %c : " + k +
            "\n%rs = burn.rsqrt %var : " + k + "\n%rr = burn.broadcast %rs {dims = array<i64: 0>} : " + k + " to " + t +
            "\n%y = burn.mul %d, %rr : " + t +
            "\n%gg = burn.broadcast %g1 {dims = array<i64: 1>} : " + tensorOf({shape[1]}, "f32") + " to " + t +
            "\n%z = burn.mul %y, %gg : " + t + "\nburn.yield %rs, %z : " + k + ", " + t + "\n}");
  }
}

TEST_CASE("row kernels: results over the domain beside reductions") {
  checkCluster("%a: tensor<40x50xf32>", R"(
    %r:3 = burn.fused row (%a) : (tensor<40x50xf32>) -> (tensor<50xf32>, tensor<40x50xf32>, tensor<50xf32>) {
    ^bb0(%x: tensor<40x50xf32>):
      %y = burn.relu %x : tensor<40x50xf32>
      %s = burn.reduce sum %y {dims = array<i64: 0>} : tensor<40x50xf32> to tensor<50xf32>
      %m = burn.reduce max %x {dims = array<i64: 0>} : tensor<40x50xf32> to tensor<50xf32>
      %t = burn.mul %s, %m : tensor<50xf32>
      burn.yield %s, %y, %t : tensor<50xf32>, tensor<40x50xf32>, tensor<50xf32>
    })");
  checkCluster("%a: tensor<4000x50xf32>, %b: tensor<50x4000xf32>", R"(
    %r:3 = burn.fused row (%a, %b)
        : (tensor<4000x50xf32>, tensor<50x4000xf32>) -> (tensor<50xf32>, tensor<4000x50xf32>, tensor<50xf32>) {
    ^bb0(%x: tensor<4000x50xf32>, %b1: tensor<50x4000xf32>):
      %bt = burn.transpose %b1 {perm = array<i64: 1, 0>} : tensor<50x4000xf32> to tensor<4000x50xf32>
      %y = burn.mul %x, %bt : tensor<4000x50xf32>
      %s = burn.reduce sum %y {dims = array<i64: 0>} : tensor<4000x50xf32> to tensor<50xf32>
      %m = burn.reduce max %x {dims = array<i64: 0>} : tensor<4000x50xf32> to tensor<50xf32>
      %t = burn.mul %s, %m : tensor<50xf32>
      burn.yield %s, %y, %t : tensor<50xf32>, tensor<4000x50xf32>, tensor<50xf32>
    })");
}

TEST_CASE("row kernels: one element of 16 bits is stored alone") {
  checkCluster("%a: tensor<1xf32>", R"(
    %r:2 = burn.fused row (%a) : (tensor<1xf32>) -> (tensor<1xbf16>, tensor<f32>) {
    ^bb0(%x: tensor<1xf32>):
      %s = burn.reduce sum %x {dims = array<i64: 0>} : tensor<1xf32> to tensor<f32>
      %b = burn.broadcast %s {dims = array<i64>} : tensor<f32> to tensor<1xf32>
      %d = burn.sub %x, %b : tensor<1xf32>
      %c = burn.convert %d : tensor<1xf32> to tensor<1xbf16>
      burn.yield %c, %s : tensor<1xbf16>, tensor<f32>
    })");
}

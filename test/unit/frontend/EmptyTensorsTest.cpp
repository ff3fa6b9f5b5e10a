// Tensors without elements and of rank 0 through every kind of function, compiled and interpreted: right shapes, the
// values that a sum or product of nothing has, and gradients of the shape of what they belong to.
#include "test/unit/frontend/EveryWay.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <vector>

using namespace burn;
using namespace burn::test;

namespace {

Tensor leaf(const Shape &shape, DType dtype = DType::F32) {
  Tensor x = ones(shape, dtype);
  x.data();
  return x.requires_grad_();
}

// The result's shape, and that gradients flow back through it.
void checkShape(const Tensor &y, const Shape &shape, std::vector<Tensor> leaves) {
  REQUIRE(y.shape() == shape);
  y.data();
  y.backward(ones(shape, y.dtype()));
  for (const Tensor &x : leaves) {
    REQUIRE(x.grad().defined());
    CHECK(x.grad().shape() == x.shape());
    for (const double value : valuesOf(x.grad()))
      CHECK((value == 0 || x.numel() != 0));
  }
}

} // namespace

TEST_CASE("empty: sums, products and extrema of nothing", "[empty]") {
  everyWay([] {
    for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::I64, DType::U32}) {
      CAPTURE(name(dtype));
      const Tensor none = zeros({3, 0}, dtype);
      CHECK(valuesOf(sum(none, 1)) == std::vector<double>{0, 0, 0});
      CHECK(valuesOf(none.prod(1)) == std::vector<double>{1, 1, 1});
      CHECK(sum(none, 0).shape() == Shape{0});
      CHECK(none.amax(0).shape() == Shape{0});
      CHECK(none.argmax(0).shape() == Shape{0});
      CHECK_THROWS_AS(none.amax(1), Error);
      CHECK_THROWS_AS(none.argmin(1), Error);
      CHECK(valuesOf(none.all()) == std::vector<double>{1});
      CHECK(valuesOf(none.any()) == std::vector<double>{0});
      if (isFloat(dtype)) {
        CHECK(std::isnan(valuesOf(mean(none))[0]));
        CHECK(std::isnan(valuesOf(none.var())[0]));
        CHECK(valuesOf(none.norm()) == std::vector<double>{0});
        CHECK(valuesOf(logsumexp(none, 1)) == std::vector<double>(3, -INFINITY));
      }
    }
    for (const DType dtype : {DType::F32, DType::BF16}) {
      Tensor x = leaf({3, 0}, dtype);
      checkShape(sum(x, 1), {3}, {x});
      x.zero_grad();
      checkShape(x.prod(1), {3}, {x});
      x.zero_grad();
      checkShape(x.amax(0), {0}, {x});
      x.zero_grad();
      checkShape(mean(x, 0), {0}, {x});
    }
  });
}

TEST_CASE("empty: products and convolutions", "[empty]") {
  everyWay([] {
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
      CAPTURE(name(dtype));
      Tensor a = leaf({3, 0}, dtype), b = leaf({0, 4}, dtype);
      const Tensor product = matmul(a, b);
      CHECK(valuesOf(product) == std::vector<double>(12, 0));
      checkShape(product, {3, 4}, {a, b});
      Tensor rows = leaf({0, 3}, dtype), square = leaf({3, 3}, dtype);
      checkShape(matmul(rows, square), {0, 3}, {rows, square});
      Tensor batch = leaf({0, 2, 3}, dtype), other = leaf({0, 3, 4}, dtype);
      checkShape(bmm(batch, other), {0, 2, 4}, {batch, other});
      Tensor images = leaf({0, 2, 5, 5}, dtype), kernel = leaf({3, 2, 3, 3}, dtype);
      checkShape(conv2d(images, kernel, Tensor(), 1, 1), {0, 3, 5, 5}, {images, kernel});
      images.zero_grad();
      kernel.zero_grad();
      Tensor turned = leaf({2, 3, 3, 3}, dtype);
      checkShape(conv_transpose2d(images, turned), {0, 3, 7, 7}, {images, turned});
      images.zero_grad();
      checkShape(max_pool2d(images, 2), {0, 2, 2, 2}, {images});
      images.zero_grad();
      checkShape(avg_pool2d(images, 2, Pair(2), 1, true, false), {0, 2, 3, 3}, {images});
      images.zero_grad();
      checkShape(adaptive_avg_pool2d(images, Pair(3, 2)), {0, 2, 3, 2}, {images});
      Tensor features = leaf({2, 0, 5}, dtype);
      checkShape(max_pool1d(features, 2), {2, 0, 2}, {features});
    }
    const Tensor integers = matmul(zeros({2, 0}, DType::I32), zeros({0, 2}, DType::I32));
    CHECK(valuesOf(integers) == std::vector<double>(4, 0));
  });
}

TEST_CASE("empty: elementwise functions, movement and normalisation", "[empty]") {
  everyWay([] {
    using Function = std::function<Tensor(const Tensor &)>;
    const std::vector<std::pair<const char *, Function>> functions{
        {"exp", [](const Tensor &x) { return exp(x); }},
        {"add", [](const Tensor &x) { return x + x * 2.0; }},
        {"where", [](const Tensor &x) { return where(x > 0.0, x, x * x); }},
        {"softmax", [](const Tensor &x) { return softmax(x, 1); }},
        {"log_softmax", [](const Tensor &x) { return log_softmax(x, 0); }},
        {"gelu", [](const Tensor &x) { return gelu(x); }},
        {"clamp", [](const Tensor &x) { return clamp(x, -1.0, 1.0); }},
        {"flip", [](const Tensor &x) { return flip(x, {0, 1}); }},
        {"dropout", [](const Tensor &x) { return dropout(x, 0.5); }},
        {"pad and slice",
         [](const Tensor &x) { return pad(x, {1, 1, 1, 1}).slice(0, 1, -1).slice(1, 1, 1 + x.size(1)); }},
        {"cat", [](const Tensor &x) { return cat({x, x}).slice(0, 0, x.size(0)); }},
    };
    for (const Shape &shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}})
      for (const auto &[name, function] : functions) {
        CAPTURE(name, shape.str());
        Tensor x = leaf(shape);
        checkShape(function(x), shape, {x});
      }
    Tensor x = leaf({0, 3}), w = leaf({3}), b = leaf({3});
    checkShape(batch_norm(x, w, b).output, {0, 3}, {x, w, b});
    Tensor grown = leaf({3, 0});
    checkShape(grown.t(), {0, 3}, {grown});
    grown.zero_grad();
    checkShape(grown.reshape({0, 5}), {0, 5}, {grown});
    grown.zero_grad();
    checkShape(grown.unsqueeze(1).expand({3, 4, 0}), {3, 4, 0}, {grown});
    Tensor table = leaf({4, 2});
    checkShape(table.index_select(0, zeros({0}, DType::I64)), {0, 2}, {table});
    CHECK(valuesOf(cross_entropy(zeros({0, 3}), zeros({0}, DType::I64), Tensor(), Reduction::Sum)) ==
          std::vector<double>{0});
    CHECK(std::isnan(valuesOf(cross_entropy(zeros({0, 3}), zeros({0}, DType::I64)))[0]));
  });
}

TEST_CASE("empty: rank 0 through everything that takes it", "[empty]") {
  everyWay([] {
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
      Tensor x = leaf({}, dtype);
      checkShape(exp(x) * x, {}, {x});
      x.zero_grad();
      checkShape(sum(x), {}, {x});
      x.zero_grad();
      checkShape(mean(x), {}, {x});
      x.zero_grad();
      checkShape(x.prod(), {}, {x});
      x.zero_grad();
      checkShape(x.max(), {}, {x});
      CHECK(valuesOf(x.grad()) == std::vector<double>{1});
      x.zero_grad();
      checkShape(softmax(x, 0), {}, {x});
      x.zero_grad();
      checkShape(x.expand({2, 3}), {2, 3}, {x});
      CHECK(valuesOf(x.grad()) == std::vector<double>{6});
    }
    CHECK(ones({}, DType::I32).argmax().item<int64_t>() == 0);
  });
}

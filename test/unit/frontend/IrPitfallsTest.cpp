// Programs that tensor compilers got wrong, with their right values. Each runs compiled and on the reference
// interpreter.
#include "test/unit/frontend/EveryWay.h"
#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/burn.h>
#include <burn/program.h>

#include <catch2/catch.hpp>

#include <cfenv>
#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

using namespace burn;
using namespace burn::test;

namespace {

using Values = std::vector<double>;

Tensor leaf(const std::vector<double> &values, const Shape &shape, DType dtype = DType::F64) {
  HostArray array(DType::F64, shape);
  std::copy(values.begin(), values.end(), array.values<double>().begin());
  Tensor result = from_host(array).to(dtype);
  result.to(DType::F64).data(); // a leaf of its own, not a conversion that is still to be computed
  return result.requires_grad_();
}
Tensor leaf(const std::vector<double> &values) { return leaf(values, Shape{static_cast<int64_t>(values.size())}); }

// Runs a function of burn IR, compiled and interpreted, and checks its only result.
void checkProgram(const std::string &text, std::vector<HostArray> arguments, const Values &wanted) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "program.mlir";
  std::ofstream(path) << text;
  for (const Program::Mode mode : {Program::Mode::Compiled, Program::Mode::Reference}) {
    const std::vector<HostArray> results = Program::load(path, "main", mode).run(arguments);
    REQUIRE(results.size() == 1);
    CHECK(valuesOf(from_host(results[0])) == wanted);
  }
}

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("pitfall: a value that is subtracted from its successor is not folded away", "[pitfalls]") {
  everyWay([] {
    const Tensor x = tensor({3.f});
    CHECK(valuesOf(x - (x + 1.f)) == Values{-1});
  });
}

TEST_CASE("pitfall: booleans are 0 and 1, not 0 and -1", "[pitfalls]") {
  everyWay([] {
    const Tensor b = tensor({1.f, 2.f}) > 1.5f;
    CHECK(valuesOf(b.max()) == Values{1});
    CHECK(valuesOf(b.min()) == Values{0});
    CHECK(valuesOf(b.to(DType::F32)) == Values{0, 1});
    CHECK(valuesOf(b.to(DType::I8)) == Values{0, 1});
  });
  checkProgram("func.func @main(%x: tensor<2xi1>) -> tensor<i1> {\n"
               "  %r = burn.reduce max %x {dims = array<i64: 0>} : tensor<2xi1> to tensor<i1>\n"
               "  return %r : tensor<i1>\n}\n",
               {[] {
                 HostArray x(DType::Bool, Shape{2});
                 x.values<bool>()[0] = false;
                 x.values<bool>()[1] = true;
                 return x;
               }()},
               {1});
}

TEST_CASE("pitfall: a zero point of unsigned bytes is not sign-extended", "[pitfalls]") {
  everyWay([] {
    HostArray a(DType::U8, Shape{1, 1}), b(DType::I8, Shape{1, 1});
    a.values<uint8_t>()[0] = 130;
    b.values<int8_t>()[0] = 3;
    const Tensor shifted = from_host(a).to(DType::I32) - 128;
    CHECK(matmul(shifted, from_host(b).to(DType::I32)).item<int32_t>() == 6);
    CHECK(valuesOf(from_host(a).to(DType::F32)) == Values{130});
    CHECK(valuesOf(from_host(a).to(DType::I8)) == Values{-126});
  });
}

TEST_CASE("pitfall: integers are divided as integers, and every quotient is defined", "[pitfalls]") {
  HostArray a(DType::I32, Shape{6}), b(DType::I32, Shape{6});
  constexpr int32_t least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
  const int32_t dividends[] = {110, most, -7, 7, least, most}, divisors[] = {55, 3, 2, 0, -1, 1};
  std::copy_n(dividends, 6, a.values<int32_t>().begin());
  std::copy_n(divisors, 6, b.values<int32_t>().begin());
  checkProgram("func.func @main(%a: tensor<6xi32>, %b: tensor<6xi32>) -> tensor<6xi32> {\n"
               "  %r = burn.div %a, %b : tensor<6xi32>\n"
               "  return %r : tensor<6xi32>\n}\n",
               {a, b}, {2, 715827882, -3, -1, static_cast<double>(least), static_cast<double>(most)});
}

TEST_CASE("pitfall: nothing is folded that infinities and NaN tell apart", "[pitfalls]") {
  everyWay([] {
    const Tensor x = tensor({std::numeric_limits<float>::infinity()});
    CHECK(std::isnan(valuesOf(x * 0.f)[0]));
    CHECK(std::isnan(valuesOf(x * 1.f - x * 1.f)[0]));
    CHECK(valuesOf(log(exp(tensor({89.f})))) == Values{infinity});
    CHECK(std::isnan(valuesOf(x / x)[0]));
    const Tensor nan = x - x;
    CHECK(valuesOf(nan == nan) == Values{0});
    CHECK(std::signbit(valuesOf(tensor({-0.f}) + (-0.f))[0]));
    CHECK_FALSE(std::signbit(valuesOf(tensor({-0.f}) + 0.f)[0]));
  });
}

TEST_CASE("pitfall: a value that is narrowed and widened again has lost its digits", "[pitfalls]") {
  everyWay([] {
    const Tensor third = tensor({1.f}) / 7.f;
    CHECK(valuesOf(third.to(DType::F16).to(DType::F32)) == Values{0.142822265625});
    CHECK(valuesOf(third.to(DType::BF16).to(DType::F32)) == Values{0.142578125});
  });
}

TEST_CASE("pitfall: floats that no integer holds saturate, NaN is 0", "[pitfalls]") {
  everyWay([] {
    const Tensor x = tensor({3e9, -3e9, std::numeric_limits<double>::quiet_NaN(), -0.9, 1e300});
    CHECK(x.to(DType::I32).to_vector<int32_t>() == std::vector<int32_t>{std::numeric_limits<int32_t>::max(),
                                                                        std::numeric_limits<int32_t>::min(), 0, 0,
                                                                        std::numeric_limits<int32_t>::max()});
    CHECK(x.to(DType::U8).to_vector<uint8_t>() == std::vector<uint8_t>{255, 0, 0, 0, 255});
  });
}

TEST_CASE("pitfall: gradients of products with zeros", "[pitfalls]") {
  everyWay([] {
    Tensor one = leaf({2, 0, 3, 4});
    one.prod().backward();
    CHECK(valuesOf(one.grad()) == Values{0, 24, 0, 0});
    Tensor two = leaf({0, 0, 3});
    const Tensor first = grad(two.prod(), two);
    CHECK(valuesOf(first) == Values{0, 0, 0});
    // The derivative of d/dx0 = x1 x2.
    const Tensor second = grad(first.index_select(0, tensor({int64_t{0}})).sum(), two);
    CHECK(valuesOf(second) == Values{0, 3, 0});
    Tensor rows = leaf({1, 2, 0, 5, 0, 0}, Shape{3, 2});
    rows.prod(0).sum().backward();
    CHECK(valuesOf(rows.grad()) == Values{0, 0, 0, 0, 0, 10});
  });
}

TEST_CASE("pitfall: extrema give the first of equal elements the gradient", "[pitfalls]") {
  everyWay([] {
    Tensor x = ones({70000}, DType::F16);
    x.data();
    x.requires_grad_();
    x.max().backward();
    const Values gradient = valuesOf(x.grad());
    CHECK(gradient[0] == 1);
    CHECK(std::all_of(gradient.begin() + 1, gradient.end(), [](double g) { return g == 0; }));
    Tensor zero = leaf({0, 1, -1});
    relu(zero).sum().backward();
    CHECK(valuesOf(zero.grad()) == Values{0, 1, 0});
  });
}

TEST_CASE("pitfall: derivatives where there is none", "[pitfalls]") {
  everyWay([] {
    Tensor zero = leaf({0});
    abs(zero).sum().backward();
    CHECK(valuesOf(zero.grad()) == Values{0});
    // By IEEE arithmetic: the root's branch is not taken, but 0 * inf is NaN.
    Tensor x = leaf({0});
    where(x < 1.0, x, sqrt(x)).sum().backward();
    CHECK(std::isnan(valuesOf(x.grad())[0]));
    Tensor same = leaf({1, 1});
    same.std().backward();
    CHECK(valuesOf(same.grad()) == Values{0, 0});
    Tensor none = leaf({0, 0});
    none.norm().backward();
    CHECK(valuesOf(none.grad()) == Values{0, 0});
  });
}

TEST_CASE("pitfall: gradients of joined, selected and scattered elements find their place", "[pitfalls]") {
  everyWay([] {
    Tensor tracked = leaf({1, 2, 3});
    cat({tensor({8.0, 9.0}), tracked}).backward(tensor({1.0, 2.0, 3.0, 4.0, 5.0}));
    CHECK(valuesOf(tracked.grad()) == Values{3, 4, 5});
    Tensor x = leaf({1, 2, 3});
    x.index_select(0, tensor({int64_t{1}, int64_t{1}})).backward(tensor({10.0, 20.0}));
    CHECK(valuesOf(x.grad()) == Values{0, 30, 0});
    // More elements than values.
    Tensor wide = leaf({1, 2, 3, 4, 5, 6}, Shape{2, 3}), values = leaf({7, 8}, Shape{1, 2});
    HostArray places(DType::I64, Shape{1, 2});
    places.values<int64_t>()[0] = 1;
    places.values<int64_t>()[1] = 0;
    const Tensor weights = tensor(std::vector<double>{1, 2, 3, 4, 5, 6}).reshape({2, 3});
    sum(wide.scatter(0, from_host(places), values) * weights).backward();
    CHECK(valuesOf(wide.grad()) == Values{1, 0, 3, 0, 5, 6});
    CHECK(valuesOf(values.grad()) == Values{4, 2});
  });
}

TEST_CASE("pitfall: a convolution's gradient has the shape of its input", "[pitfalls]") {
  everyWay([] {
    Tensor x = ones({1, 1, 1603});
    x.data();
    x.requires_grad_();
    sum(conv1d(x, ones({1, 1, 4}), Tensor(), 4)).backward();
    Values wanted(1603, 1);
    wanted[1600] = wanted[1601] = wanted[1602] = 0;
    CHECK(valuesOf(x.grad()) == wanted);
  });
}

TEST_CASE("pitfall: what an update overwrites has no gradient, the rest keeps its own", "[pitfalls]") {
  everyWay([] {
    Tensor x = leaf({1, 2, 3}, Shape{1, 3}), y = leaf({4, 5}, Shape{1, 2});
    Tensor changed = x * 1.0;
    changed.index_put_({Slice(), Slice(0, 2)}, y);
    changed.sum(1).sum().backward();
    CHECK(valuesOf(x.grad()) == Values{0, 0, 1});
    CHECK(valuesOf(y.grad()) == Values{1, 1});
  });
}

TEST_CASE("pitfall: dropout's gradient has the mask of its result", "[pitfalls]") {
  everyWay([] {
    for (const bool isRead : {false, true}) {
      Tensor x = ones({4096});
      x.data();
      x.requires_grad_();
      const Tensor y = dropout(x, 0.5);
      if (isRead) // the mask is drawn again for the gradient
        y.data();
      const Tensor loss = y.sum();
      loss.backward();
      CHECK(valuesOf(y) == valuesOf(x.grad())); // both 0 or 2
    }
  });
}

TEST_CASE("pitfall: numbers that change from step to step compile nothing", "[pitfalls]") {
  SpyBackend spy;
  Tensor w = leaf({1, 2}), velocity = zeros({2}, DType::F64);
  velocity.data();
  const size_t before = spy.graphs.size();
  const std::pair<double, double> steps[] = {{1e-9, 1e-8}, {1e-8, 1e-8}, {2e-8, 1e-8}};
  for (const auto &[rate, momentum] : steps) {
    (w * w).sum().backward();
    const NoGradGuard guard;
    velocity = velocity * momentum + w.grad();
    w -= velocity * rate;
    w.zero_grad();
    flush();
  }
  CHECK(spy.graphs.size() == before + 1);
}

TEST_CASE("pitfall: the place of an extremum is that of the logical order", "[pitfalls]") {
  everyWay([] {
    const Tensor x = tensor({1.f, 5.f, 9.f, 2.f}).reshape({2, 2});
    CHECK(x.t().argmax().item<int64_t>() == 1);
    CHECK(tensor({1.f, 5.f, 5.f, 3.f}).argmax().item<int64_t>() == 1);
    CHECK(tensor({std::numeric_limits<float>::quiet_NaN(), 4.6f}).argmax().item<int64_t>() == 0);
    CHECK(tensor({4.6f, std::numeric_limits<float>::quiet_NaN()}).argmin().item<int64_t>() == 1);
    // Equal elements in every lane of a vector.
    CHECK((ones({1000}) * 2).argmax().item<int64_t>() == 0);
  });
}

TEST_CASE("constants do not depend on how the thread that compiles rounds", "[ir-pitfalls]") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "program.mlir";
  // The square of 1 + 2^-23 is 1 + 2^-22 + 2^-46: to nearest the last term is lost, upwards it costs 2^-23.
  std::ofstream(path) << R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = burn.constant dense<0x3F800001> : tensor<4xf32>
  %square = burn.mul %c, %c : tensor<4xf32>
  %y = burn.mul %x, %square : tensor<4xf32>
  return %y : tensor<4xf32>
})";
  HostArray ones(DType::F32, Shape{4});
  std::fill(ones.values<float>().begin(), ones.values<float>().end(), 1.0f);
  std::fesetround(FE_UPWARD);
  const Program program = Program::load(path);
  std::fesetround(FE_TONEAREST);
  const std::vector<HostArray> results = program.run(std::vector<HostArray>{ones});
  CHECK(valuesOf(from_host(results[0])) == Values(4, 1 + 0x1p-22));
}

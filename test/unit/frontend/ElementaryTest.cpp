// Elementary functions, remainders and bits of the tensor interface. Right values are those of PyTorch.
#include "test/unit/frontend/Backends.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace burn;
using burn::test::SpyBackend;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;
using Bools = std::vector<bool>;

Floats floats(const Tensor &tensor) { return tensor.to_vector<float>(); }
Ints ints(const Tensor &tensor) { return tensor.to_vector<int32_t>(); }
Bools bools(const Tensor &tensor) { return tensor.to_vector<bool>(); }

void checkClose(const Tensor &actual, const Floats &expected) {
  const Floats values = floats(actual);
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(expected[i]).epsilon(1e-6));
}

const float infinity = std::numeric_limits<float>::infinity();

} // namespace

TEST_CASE("elementary: functions of one number") {
  SpyBackend spy;
  const Tensor x = tensor({0.5f, -0.25f});
  checkClose(sin(x), {0.47942555f, -0.24740396f});
  checkClose(cos(x), {0.87758255f, 0.96891242f});
  checkClose(tan(x), {0.54630250f, -0.25534192f});
  checkClose(asin(x), {0.52359879f, -0.25268024f});
  checkClose(acos(x), {1.04719758f, 1.82347655f});
  checkClose(atan(x), {0.46364760f, -0.24497867f});
  checkClose(sinh(x), {0.52109530f, -0.25261232f});
  checkClose(cosh(x), {1.12762594f, 1.03141308f});
  checkClose(asinh(x), {0.48121183f, -0.24746646f});
  checkClose(acosh(x + 1.5f), {1.31695795f, 0.69314718f});
  checkClose(atanh(x), {0.54930615f, -0.25541282f});
  checkClose(exp2(x), {1.41421354f, 0.84089643f});
  checkClose(log2(x.abs()), {-1.f, -2.f});
  checkClose(log10(x.abs()), {-0.30103001f, -0.60205996f});
  checkClose(cbrt(x), {0.79370052f, -0.62996054f});
  checkClose(erfc(x), {0.47950011f, 1.27632642f});
  checkClose(erfinv(x), {0.47693628f, -0.22531206f});
  checkClose(lgamma(x), {0.57236493f, 1.58957529f});
  checkClose(digamma(x), {-1.96351004f, 2.91413912f});
  checkClose(polygamma(1, x), {4.93480206f, 18.54187965f});
  checkClose(polygamma(0, x), {-1.96351004f, 2.91413912f});
  CHECK(sin(tensor({1, 2})).dtype() == DType::F32);
  CHECK(floats(arctan(x)) == floats(atan(x)));
}

TEST_CASE("elementary: functions of two numbers") {
  SpyBackend spy;
  checkClose(atan2(tensor({1.f, -1.f, 0.f}), tensor({-1.f, 2.f, 0.f})), {2.35619450f, -0.46364760f, 0.f});
  CHECK(floats(hypot(tensor({3.f, 3e30f}), 4)) == Floats{5, 3e30f});
  CHECK(floats(copysign(tensor({1.f, -2.f}), -0.f)) == Floats{-1, -2});
  const float nan = std::nanf("");
  CHECK(floats(tensor({-5.5f, 5.5f}) % 3) == Floats{0.5f, 2.5f});
  CHECK(floats(fmod(tensor({-5.5f, 5.5f}), 3)) == Floats{-2.5f, 2.5f});
  CHECK(ints(remainder(tensor({-7, 7, -6}), tensor({3, -3, 3}))) == Ints{2, -2, 0});
  CHECK(ints(fmod(tensor({-7, 7}), tensor({3, -3}))) == Ints{-1, 1});
  CHECK(ints(floor_divide(tensor({-7, 7, 110}), tensor({2, -2, 55}))) == Ints{-4, -4, 2});
  CHECK(ints(div(tensor({-7, 7}), 2, RoundingMode::Trunc)) == Ints{-3, 3});
  CHECK(floats(div(tensor({-7.f, 7.f, 6.f}), 2, RoundingMode::Floor)) == Floats{-4, 3, 3});
  CHECK(floats(div(tensor({-7.f, 7.f}), 2, RoundingMode::Trunc)) == Floats{-3, 3});
  CHECK(floats(floor_divide(tensor({1.f, -1.f, -1.f}), tensor({0.f, 0.f, infinity}))) ==
        Floats{infinity, -infinity, -1});
  // 1 / 0.1f is below 10, and rounds to 10.
  CHECK(floats(floor_divide(tensor({1.f}), 0.1f)) == Floats{9});
  CHECK(floats(fmax(tensor({nan, 1.f}), tensor({2.f, nan}))) == Floats{2, 1});
}

TEST_CASE("elementary: parts and classes of numbers") {
  SpyBackend spy;
  const Tensor odd = tensor({std::nanf(""), infinity, -0.f, 1.5f});
  CHECK(bools(isnan(odd)) == Bools{true, false, false, false});
  CHECK(bools(isinf(odd)) == Bools{false, true, false, false});
  CHECK(bools(isfinite(odd)) == Bools{false, false, true, true});
  CHECK(bools(signbit(odd.slice(0, 1))) == Bools{false, true, false});
  CHECK(bools(isfinite(tensor({1, 2}))) == Bools{true, true});
  CHECK(bools(isnan(tensor({1, 2}))) == Bools{false, false});
  CHECK(floats(trunc(tensor({-1.7f, 1.7f}))) == Floats{-1, 1});
  CHECK(ints(fix(tensor({3}))) == Ints{3});
  CHECK(floats(reduce_precision(tensor({1.f / 7}), DType::F16)) == Floats{0.142822265625f});
}

TEST_CASE("elementary: bits") {
  SpyBackend spy;
  const Tensor x = tensor({6, -8});
  CHECK(ints(x << 2) == Ints{24, -32});
  CHECK(ints(x >> 1) == Ints{3, -4});
  CHECK(ints(bitwise_right_shift(x, 100)) == Ints{0, -1});
  CHECK(ints(bitwise_left_shift(x, -1)) == Ints{0, 0});
  CHECK(ints(population_count(x)) == Ints{2, 29});
  CHECK(ints(count_leading_zeros(x)) == Ints{29, 0});
  CHECK(ints(tensor({1.f, -0.f}).view(DType::I32)) == Ints{0x3f800000, INT32_MIN});
  CHECK(floats(tensor({0x40490fdb}).view(DType::F32)) == Floats{3.14159274f});
  CHECK_THROWS_WITH(x.view(DType::I64), Catch::Contains("view: expects a number type of the width of i32, got i64"));
  CHECK_THROWS_WITH(x << 1.5, Catch::Contains("expects booleans or integers"));
  CHECK_THROWS_WITH((x > 0) << (x > 0), Catch::Contains("bitwise_left_shift: expects integers"));
}

TEST_CASE("elementary: gradients") {
  SpyBackend spy;
  auto gradient = [](auto function, Floats at) {
    Tensor x = tensor(at);
    x.requires_grad_();
    function(x).sum().backward();
    return x.grad();
  };
  checkClose(gradient([](const Tensor &x) { return sin(x); }, {0.5f}), {0.87758255f});
  checkClose(gradient([](const Tensor &x) { return lgamma(x); }, {0.5f}), {-1.96351004f});
  checkClose(gradient([](const Tensor &x) { return pow(x, 3); }, {2.f, -1.f}), {12.f, 3.f});
  checkClose(gradient([](const Tensor &x) { return pow(x, -2); }, {2.f}), {-0.25f});
  checkClose(gradient([](const Tensor &x) { return remainder(7, x); }, {2.f, -3.f}), {-3.f, 3.f});
  checkClose(gradient([](const Tensor &x) { return hypot(x, 0); }, {0.f, -2.f}), {0.f, -1.f});
  checkClose(gradient([](const Tensor &x) { return div(x, 2, RoundingMode::Floor) + x; }, {3.f}), {1.f});
}

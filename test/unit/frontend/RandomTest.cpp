// Random tensors against the generator itself (whose blocks are checked against Random123 elsewhere).
#include "test/unit/frontend/Backends.h"

#include "runtime/Core/Philox.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace burn;
using burn::test::SpyBackend;

namespace {

// 32-bit element i of call `call` of seed `seed`.
uint32_t bits(uint64_t seed, uint64_t call, uint64_t i) {
  const auto words = core::philox4x32({static_cast<uint32_t>(i / 4), static_cast<uint32_t>(i / 4 >> 32),
                                       static_cast<uint32_t>(call), static_cast<uint32_t>(call >> 32)},
                                      {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return words[i % 4];
}

} // namespace

TEST_CASE("random: uniform numbers are the top bits of the stream") {
  SpyBackend spy;
  Generator generator(42);
  const std::vector<float> first = rand({3, 5}, DType::F32, &generator).to_vector<float>();
  const std::vector<float> second = rand({15}, DType::F32, &generator).to_vector<float>();
  CHECK(generator.calls() == 2);
  for (uint64_t i = 0; i < 15; ++i) {
    CHECK(first[i] == std::ldexp(static_cast<float>(bits(42, 0, i) >> 8), -24));
    CHECK(second[i] == std::ldexp(static_cast<float>(bits(42, 1, i) >> 8), -24));
  }
}

TEST_CASE("random: the same numbers whether calls run together or apart") {
  SpyBackend spy;
  Generator together(7), apart(7);
  const Tensor a = rand({4}, DType::F32, &together), b = rand({4}, DType::F32, &together);
  const std::vector<float> lateB = b.to_vector<float>(), lateA = a.to_vector<float>();
  CHECK(rand({4}, DType::F32, &apart).to_vector<float>() == lateA);
  CHECK(rand({4}, DType::F32, &apart).to_vector<float>() == lateB);
  // The program is one whatever number the stream has come to.
  const size_t programs = spy.graphs.size();
  CHECK(rand({4}, DType::F32, &apart).to_vector<float>() != lateB);
  CHECK(spy.graphs.size() == programs);
}

TEST_CASE("random: manual_seed starts the thread's stream anew") {
  SpyBackend spy;
  manual_seed(5);
  const std::vector<float> a = rand({8}).to_vector<float>();
  manual_seed(5);
  CHECK(rand({8}).to_vector<float>() == a);
  CHECK(rand({8}).to_vector<float>() != a);
}

TEST_CASE("random: dropout keeps what lies below the bound") {
  SpyBackend spy;
  Generator generator(9);
  const std::vector<float> kept = dropout(ones({100}), 0.25, true, &generator).to_vector<float>();
  for (uint64_t i = 0; i < 100; ++i)
    CHECK(kept[i] == (bits(9, 0, i) < 0xc0000000u ? static_cast<float>(1 / 0.75) : 0.f));
  const Tensor x = ones({4});
  CHECK(dropout(x, 0.5, false).is_same(x));
  CHECK_THROWS_AS(dropout(x, 1.5), Error);
}

TEST_CASE("random: normal numbers are the inverse distribution of the uniform ones") {
  SpyBackend spy;
  Generator generator(11);
  const std::vector<float> normal = randn({1000}, DType::F32, &generator).to_vector<float>();
  double sum = 0, squares = 0;
  for (uint64_t i = 0; i < normal.size(); ++i) {
    // erf(x / sqrt 2) gives the uniform number back
    const double uniform = std::ldexp(2.0 * (bits(11, 0, i) >> 8) + 1 - (1 << 24), -24);
    CHECK(std::erf(normal[i] / std::sqrt(2.0)) == Approx(uniform).margin(3e-7));
    sum += normal[i];
    squares += double(normal[i]) * normal[i];
  }
  CHECK(std::fabs(sum / 1000) < 0.1);
  CHECK(squares / 1000 == Approx(1).margin(0.15));
  const std::vector<double> wide = randn({100}, DType::F64, &generator).to_vector<double>();
  for (double x : wide)
    CHECK(std::fabs(x) < 5);
}

TEST_CASE("random: integers lie in their range and bernoulli follows its bound") {
  SpyBackend spy;
  Generator generator(1);
  std::vector<int> seen(4, 0);
  for (int64_t value : randint(-2, 2, {400}, DType::I64, &generator).to_vector<int64_t>()) {
    REQUIRE(value >= -2);
    REQUIRE(value < 2);
    ++seen[static_cast<size_t>(value + 2)];
  }
  for (int count : seen)
    CHECK(count > 60);
  const std::vector<bool> flips = bernoulli({50}, 0.3, &generator).to_vector<bool>();
  for (uint64_t i = 0; i < 50; ++i)
    CHECK(flips[i] == (bits(1, 1, i) < static_cast<uint32_t>(std::floor(0.3 * 4294967296.0))));
  CHECK(bernoulli({50}, 1.0, &generator).all().item<bool>());
  CHECK_FALSE(bernoulli({50}, 0.0, &generator).any().item<bool>());
}

TEST_CASE("random: probabilities of each element, and classes by their weights") {
  SpyBackend spy;
  Generator generator(3);
  const Tensor p = tensor<float>({0, 1, 0.25f, -1, 7, NAN}).unsqueeze(0).expand({40, 6});
  const std::vector<float> drawn = bernoulli(p, &generator).to_vector<float>();
  for (uint64_t i = 0; i < 240; ++i) {
    const double bound[] = {0, 1, 0.25, 0, 1, 0};
    CHECK(drawn[i] == (bits(3, 0, i) < std::floor(bound[i % 6] * 4294967296.0) ? 1.f : 0.f));
  }
  // A class of weight 0 is never drawn; running sums over the total are 0, 0.25, 0.25 and 1.
  const Tensor weights = tensor<float>({0, 1, 0, 3}).reshape({1, 4});
  const std::vector<int64_t> classes = multinomial(weights, 200, true, &generator).to_vector<int64_t>();
  for (uint64_t i = 0; i < 200; ++i)
    CHECK(classes[i] == (std::ldexp(static_cast<double>(bits(3, 1, i) >> 8), -24) < 0.25 ? 1 : 3));
  // Without replacement both classes that have a weight come before those that have none.
  const std::vector<int64_t> pair = multinomial(weights, 2, false, &generator).to_vector<int64_t>();
  CHECK(pair[0] + pair[1] == 4);
  CHECK(pair[0] * pair[1] == 3);
  CHECK_THROWS_AS(multinomial(weights, 5), Error);
  CHECK_THROWS_AS(multinomial(zeros({3, 0}), 1), Error);
  const std::vector<double> moved = normal(5, 0.5, {1000}, DType::F64, &generator).to_vector<double>();
  double mean = 0;
  for (double x : moved)
    mean += x / 1000;
  CHECK(mean == Approx(5).margin(0.1));
}

TEST_CASE("random: dropout of features, and one that keeps mean and variance") {
  SpyBackend spy;
  Generator generator(4);
  const std::vector<float> kept = feature_dropout(ones({3, 5, 4}), 0.5, true, &generator).to_vector<float>();
  for (uint64_t i = 0; i < 60; ++i)
    CHECK(kept[i] == (bits(4, 0, i / 4) < 0x80000000u ? 2.f : 0.f));
  const std::vector<float> x =
      alpha_dropout(randn({20000}, DType::F32, &generator), 0.2, true, &generator).to_vector<float>();
  double mean = 0, square = 0;
  for (double value : x)
    mean += value / 20000, square += value * value / 20000;
  CHECK(mean == Approx(0).margin(0.03));
  CHECK(square == Approx(1).margin(0.05));
  const Tensor y = ones({2, 2});
  CHECK(alpha_dropout(y, 0.5, false).is_same(y));
  CHECK_THROWS_AS(alpha_dropout(y, 1.0), Error);
}

// Fast math by scope: what is recorded within may be computed by Winograd's method, everything else keeps its bits.
#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace burn;

namespace {

constexpr int64_t kChannels = 64, kSize = 14;

Tensor wave(const Shape &shape, double step) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i) * step));
  return tensor(values, shape);
}

Tensor image() { return wave({1, kChannels, kSize, kSize}, 12.9898); }
Tensor kernel() { return wave({kChannels, kChannels, 3, 3}, 78.233); }

Tensor convolved(const Tensor &x, const Tensor &w) { return conv2d(x, w, Tensor(), 1, 1); }

// The definition of element [0, feature, y, z], in double, and the sum of magnitudes that the bound of the guide takes:
// of each weight by the greatest pixel of its tile, here of all.
struct Defined {
  double value = 0, magnitude = 0;
};
Defined defined(const std::vector<float> &x, const std::vector<float> &w, int64_t feature, int64_t y, int64_t z) {
  Defined sum;
  for (int64_t i = 0; i < kChannels; ++i)
    for (int64_t tap = 0; tap < 9; ++tap) {
      const int64_t row = y + tap / 3 - 1, column = z + tap % 3 - 1;
      const double weight = w[static_cast<size_t>((feature * kChannels + i) * 9 + tap)];
      sum.magnitude += std::abs(weight);
      if (row >= 0 && row < kSize && column >= 0 && column < kSize)
        sum.value += weight * x[static_cast<size_t>((i * kSize + row) * kSize + column)];
    }
  return sum;
}

} // namespace

TEST_CASE("convolutions of a scope of fast math are others in their last bits, those around it are not",
          "[fast-math]") {
  const Tensor x = image(), w = kernel();
  const std::vector<float> alone = convolved(x, w).to_vector<float>();
  REQUIRE_FALSE(is_fast_math_enabled());
  // In one program.
  const Tensor before = convolved(x, w);
  Tensor within, taken;
  {
    const FastMathGuard guard;
    REQUIRE(is_fast_math_enabled());
    within = convolved(x, w);
    const FastMathGuard inner(false);
    REQUIRE_FALSE(is_fast_math_enabled());
    taken = convolved(x, w);
  }
  REQUIRE_FALSE(is_fast_math_enabled());
  const Tensor after = convolved(x, w);
  CHECK(before.to_vector<float>() == alone);
  CHECK(taken.to_vector<float>() == alone);
  CHECK(after.to_vector<float>() == alone);
  const std::vector<float> quick = within.to_vector<float>(), pixels = x.to_vector<float>(),
                           weights = w.to_vector<float>();
  CHECK(quick != alone);
  for (int64_t feature = 0; feature < kChannels; feature += 7)
    for (int64_t place = 0; place < kSize * kSize; ++place) {
      const Defined wanted = defined(pixels, weights, feature, place / kSize, place % kSize);
      const double got = quick[static_cast<size_t>(feature * kSize * kSize + place)];
      CHECK(std::abs(got - wanted.value) <= 32 * 0x1p-24 * wanted.magnitude);
    }
}

TEST_CASE("the scope of fast math is part of the program and of its key", "[fast-math]") {
  const Tensor x = image(), w = kernel();
  flush();
  const Tensor plain = convolved(x, w);
  CHECK(dump_ir(plain).find("fast_math") == std::string::npos);
  flush();
  Tensor marked;
  {
    const FastMathGuard guard;
    marked = convolved(x, w);
  }
  CHECK(dump_ir(marked).find("fast_math") != std::string::npos);
  flush(); // outside: the mark is the op's
  CHECK(plain.to_vector<float>() != marked.to_vector<float>());
}

TEST_CASE("the gradient of an image follows the scope of the convolution, not that of backward", "[fast-math]") {
  const Tensor w = kernel();
  const auto gradient = [&](bool forward, bool backward) {
    Tensor x = image().requires_grad_();
    Tensor y;
    {
      const FastMathGuard guard(forward);
      y = convolved(x, w);
    }
    const FastMathGuard guard(backward);
    sum(y * y.detach()).backward();
    return x.grad().to_vector<float>();
  };
  // With an activation behind it the image has its channels last in both passes.
  const auto gradientOfGiven = [&](bool forward) {
    Tensor x = wave({2, kChannels, kSize, kSize}, 12.9898).requires_grad_();
    Tensor y;
    {
      const FastMathGuard guard(forward);
      y = relu(convolved(x, w));
    }
    y.backward(wave({2, kChannels, kSize, kSize}, 1.37));
    return x.grad().to_vector<float>();
  };
  CHECK(gradient(false, true) == gradient(false, false));
  CHECK(gradientOfGiven(true) != gradientOfGiven(false));
}

TEST_CASE("a scope of fast math is its thread's", "[fast-math]") {
  const FastMathGuard guard;
  bool elsewhere = true;
  std::thread([&] { elsewhere = is_fast_math_enabled(); }).join();
  CHECK_FALSE(elsewhere);
  CHECK(is_fast_math_enabled());
}

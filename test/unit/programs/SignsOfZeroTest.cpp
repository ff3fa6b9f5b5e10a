// Products that underflow leave sums of -0, which the product of a weight and a zero of the padding turns into +0.
// Kernels that leave such taps out have the sign that the chain of all taps has.
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/CompiledProgram.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace burn;
using namespace burn::fuzz;

namespace {

/// Images [batch, size, size, channels] and kernels [taps, taps, channels, features].
struct Layer {
  int64_t batch, size, channels, features, taps, padding, dilation;
  int64_t outSize() const { return (size - 1) * dilation + 1 + 2 * padding - taps + 1; }
};

const Layer kLayers[] = {
    {8, 3, 16, 16, 3, 1, 1},   // several images to a tile
    {8, 4, 32, 48, 3, 2, 1},   // the same, as in the gradient of an image
    {12, 2, 256, 70, 3, 1, 1}, // in blocks of channels
    {3, 9, 16, 24, 3, 1, 1},   // zeros around a copy of the image
    {4, 5, 16, 16, 3, 2, 2},   // gaps, as in the gradient of a layer that moves in steps of 2
    {8, 3, 16, 32, 4, 2, 2},   // both
    {1, 2, 8, 8, 3, 1, 2},     // gaps in a layer that is too small to be taken apart
    {2, 2, 8, 8, 3, 0, 2},     // one place, which no gaps surround
};

/// Channels first: of operands and to a result that are transposed to channels last.
std::string programOf(const Layer &c, bool channelsLast) {
  const std::string x = fmt::format("tensor<{0}x{1}x{1}x{2}xf32>", c.batch, c.size, c.channels),
                    w = fmt::format("tensor<{0}x{0}x{1}x{2}xf32>", c.taps, c.channels, c.features),
                    y = fmt::format("tensor<{0}x{1}x{1}x{2}xf32>", c.batch, c.outSize(), c.features);
  const std::string attributes =
      fmt::format("strides = array<i64: 1, 1>, pad_low = array<i64: {0}, {0}>,\n"
                  "      pad_high = array<i64: {0}, {0}>, lhs_dilation = array<i64: {1}, {1}>,\n"
                  "      rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1",
                  c.padding, c.dilation);
  if (channelsLast)
    return fmt::format(
        "func.func @main(%x: {0}, %w: {1}) -> {2} {{\n"
        "  %y = burn.conv %x, %w {{lhs_dims = array<i64: 0, 3, 1, 2>, rhs_dims = array<i64: 3, 2, 0, 1>,\n"
        "      out_dims = array<i64: 0, 3, 1, 2>, {3}}} : {0}, {1} to {2}\n  return %y : {2}\n}}\n",
        x, w, y, attributes);
  const std::string xt = fmt::format("tensor<{0}x{2}x{1}x{1}xf32>", c.batch, c.size, c.channels),
                    wt = fmt::format("tensor<{2}x{1}x{0}x{0}xf32>", c.taps, c.channels, c.features),
                    yt = fmt::format("tensor<{0}x{2}x{1}x{1}xf32>", c.batch, c.outSize(), c.features);
  return fmt::format(
      "func.func @main(%x: {0}, %w: {1}) -> {2} {{\n"
      "  %xt = burn.transpose %x {{perm = array<i64: 0, 3, 1, 2>}} : {0} to {4}\n"
      "  %wt = burn.transpose %w {{perm = array<i64: 3, 2, 0, 1>}} : {1} to {5}\n"
      "  %yt = burn.conv %xt, %wt {{lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,\n"
      "      out_dims = array<i64: 0, 1, 2, 3>, {3}}} : {4}, {5} to {6}\n"
      "  %y = burn.transpose %yt {{perm = array<i64: 0, 2, 3, 1>}} : {6} to {2}\n  return %y : {2}\n}}\n",
      x, w, y, attributes, xt, wt, yt);
}

/// Mostly numbers whose products underflow, and zeros.
std::vector<float> tinyValues(int64_t count, uint32_t seed) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    constexpr float choices[] = {1e-30f, -1e-30f, 1e-28f, -1e-28f, 1e-30f, -1e-30f, 0.0f, -0.0f};
    values.push_back(choices[seed >> 29]);
  }
  return values;
}

ir::HostTensor tensorOf(const std::vector<float> &values, Shape shape) {
  ir::HostTensor tensor(core::TypeDesc{DType::F32, shape});
  std::memcpy(tensor.bytes.data(), values.data(), values.size() * 4);
  return tensor;
}

/// One chain of fused multiply-adds for each element, over channels and then taps, zeros where a tap meets no element.
/// What the gaps of a dilated image add comes last, and is +0.
std::vector<float> chains(const Layer &c, const std::vector<float> &x, const std::vector<float> &w) {
  std::vector<float> result;
  const int64_t out = c.outSize();
  const auto element = [&](int64_t n, int64_t row, int64_t column, int64_t channel) {
    const auto exists = [&](int64_t at) { return at >= 0 && at % c.dilation == 0 && at / c.dilation < c.size; };
    if (!exists(row) || !exists(column))
      return 0.0f;
    return x[((n * c.size + row / c.dilation) * c.size + column / c.dilation) * c.channels + channel];
  };
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t i = 0; i < out; ++i)
      for (int64_t j = 0; j < out; ++j)
        for (int64_t f = 0; f < c.features; ++f) {
          float sum = 0;
          for (int64_t channel = 0; channel < c.channels; ++channel)
            for (int64_t v = 0; v < c.taps; ++v)
              for (int64_t h = 0; h < c.taps; ++h)
                sum = std::fma(element(n, i + v - c.padding, j + h - c.padding, channel),
                               w[((v * c.taps + h) * c.channels + channel) * c.features + f], sum);
          result.push_back(c.dilation > 1 ? sum + 0.0f : sum);
        }
  return result;
}

std::vector<float> run(const std::string &text, const Tensors &arguments, const compiler::CompileOptions &options) {
  auto context = compiler::makeContext();
  auto module = compiler::parseProgram(*context, text, "program", "");
  REQUIRE(module);
  auto program = CompiledProgram::compile(**module, options);
  if (!program)
    FAIL(program.status().message());
  auto results = (*program)->run(arguments, Loops::Serial);
  if (!results)
    FAIL(results.status().message());
  std::vector<float> values((*results)[0].bytes.size() / 4);
  std::memcpy(values.data(), (*results)[0].bytes.data(), values.size() * 4);
  return values;
}

int64_t differences(const std::vector<float> &a, const std::vector<float> &b) {
  REQUIRE(a.size() == b.size());
  int64_t count = 0;
  for (size_t i = 0; i < a.size(); ++i)
    count += std::memcmp(&a[i], &b[i], 4) != 0;
  return count;
}

} // namespace

TEST_CASE("Convolutions have the signs of zeros of their chains, whatever taps they leave out", "[layout]") {
  for (const Layer &c : kLayers) {
    const std::vector<float> x = tinyValues(c.batch * c.size * c.size * c.channels, 1),
                             w = tinyValues(c.taps * c.taps * c.channels * c.features, 2);
    const std::vector<float> right = chains(c, x, w);
    // The case is about sums of both signs.
    if (c.dilation == 1)
      CHECK(std::count_if(right.begin(), right.end(), [](float value) { return std::signbit(value); }) > 0);
    CHECK(std::count_if(right.begin(), right.end(), [](float value) { return !std::signbit(value); }) > 0);
    const Tensors arguments = {tensorOf(x, Shape{c.batch, c.size, c.size, c.channels}),
                               tensorOf(w, Shape{c.taps, c.taps, c.channels, c.features})};
    for (const compiler::CompileOptions &options : {portableOptions(true), hostOptions(true)}) {
      CAPTURE(c.batch, c.size, c.channels, c.features, c.taps, c.padding, c.dilation, options.target.cpu);
      for (bool channelsLast : {true, false})
        CHECK(differences(run(programOf(c, channelsLast), arguments, options), right) == 0);
    }
  }
}

// Convolutions under fast math, as code for each kind of processor, against sums in f64.
#include "passes/Pipelines/Compile.h"
#include "runtime/Devices/Cpu/CpuTarget.h"
#include "test/unit/programs/Arguments.h"
#include "tools/burn-fuzz/CompiledProgram.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cmath>

using namespace burn;
using namespace burn::fuzz;
using namespace burn::test;

namespace {

struct Layer {
  int64_t batch, height, width, channels, features, low, high;
  bool channelsLast;
  int64_t outHeight() const { return height + low + high - 2; }
  int64_t outWidth() const { return width + low + high - 2; }
};

std::string imageType(const Layer &c, int64_t height, int64_t width, int64_t channels) {
  return c.channelsLast ? fmt::format("tensor<{}x{}x{}x{}xf32>", c.batch, height, width, channels)
                        : fmt::format("tensor<{}x{}x{}x{}xf32>", c.batch, channels, height, width);
}

std::string programOf(const Layer &c) {
  const std::string x = imageType(c, c.height, c.width, c.channels),
                    y = imageType(c, c.outHeight(), c.outWidth(), c.features),
                    w = fmt::format("tensor<{}x{}x3x3xf32>", c.features, c.channels),
                    dims = c.channelsLast ? "0, 3, 1, 2" : "0, 1, 2, 3";
  return fmt::format("func.func @main(%x: {0}, %w: {1}) -> {2} {{\n"
                     "  %y = burn.conv %x, %w {{lhs_dims = array<i64: {3}>, rhs_dims = array<i64: 0, 1, 2, 3>,\n"
                     "      out_dims = array<i64: {3}>, strides = array<i64: 1, 1>, pad_low = array<i64: {4}, {4}>,\n"
                     "      pad_high = array<i64: {5}, {5}>, lhs_dilation = array<i64: 1, 1>,\n"
                     "      rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1}} : {0}, {1} to {2}\n"
                     "  %r = burn.neg %y : {2}\n  return %r : {2}\n}}\n",
                     x, w, y, dims, c.low, c.high);
}

/// The greatest error, in units of 2^-24 times what an element adds up at most: of each channel, the magnitudes of the
/// window times the greatest one of the 6 x 6 pixels of its tile.
double greatestError(const Layer &c, const ir::HostTensor &x, const ir::HostTensor &w, const ir::HostTensor &out) {
  const auto *pixels = reinterpret_cast<const float *>(x.bytes.data()),
             *weights = reinterpret_cast<const float *>(w.bytes.data()),
             *results = reinterpret_cast<const float *>(out.bytes.data());
  const auto at = [&](int64_t n, int64_t i, int64_t y, int64_t z, int64_t channels, int64_t height, int64_t width) {
    return c.channelsLast ? ((n * height + y) * width + z) * channels + i
                          : ((n * channels + i) * height + y) * width + z;
  };
  const auto pixelAt = [&](int64_t n, int64_t i, int64_t row, int64_t column) {
    const bool exists = row >= 0 && row < c.height && column >= 0 && column < c.width;
    return exists ? double(pixels[at(n, i, row, column, c.channels, c.height, c.width)]) : 0.0;
  };
  double worst = 0;
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t y = 0; y < c.outHeight(); ++y)
      for (int64_t z = 0; z < c.outWidth(); ++z) {
        std::vector<double> greatest(c.channels);
        for (int64_t i = 0; i < c.channels; ++i)
          for (int64_t place = 0; place < 36; ++place)
            greatest[i] = std::max(
                greatest[i], std::abs(pixelAt(n, i, y / 4 * 4 + place / 6 - c.low, z / 4 * 4 + place % 6 - c.low)));
        for (int64_t f = 0; f < c.features; ++f) {
          double sum = 0, magnitude = 0;
          for (int64_t i = 0; i < c.channels; ++i)
            for (int64_t tap = 0; tap < 9; ++tap) {
              const double weight = weights[(f * c.channels + i) * 9 + tap];
              sum += pixelAt(n, i, y + tap / 3 - c.low, z + tap % 3 - c.low) * weight;
              magnitude += greatest[i] * std::abs(weight);
            }
          const double got = -double(results[at(n, f, y, z, c.features, c.outHeight(), c.outWidth())]);
          worst = std::max(worst, std::abs(got - sum) / (magnitude * 0x1p-24));
        }
      }
  return worst;
}

std::vector<compiler::CompileOptions> waysOf(bool fastMath) {
  std::vector<compiler::CompileOptions> ways;
  for (bool fusion : {true, false})
    for (const auto &options : {portableOptions(fusion), hostOptions(fusion)}) {
      ways.push_back(options);
      ways.back().fastMath = fastMath;
    }
  return ways;
}

Tensors resultsOf(const Layer &layer, const compiler::CompileOptions &options, const Tensors &arguments, Loops loops,
                  int &winograds) {
  auto context = compiler::makeContext();
  auto module = compiler::parseProgram(*context, programOf(layer), "layer", "");
  REQUIRE(module);
  compiler::CompileOptions watched = options;
  winograds = 0;
  watched.afterStage = [&](llvm::StringRef stage, mlir::ModuleOp stageModule) {
    if (stage == "tiled")
      stageModule.walk([&](mlir::Operation *op) { winograds += op->hasAttr("burn.winograd"); });
  };
  auto program = CompiledProgram::compile(**module, watched);
  if (!program)
    FAIL(program.status().message());
  auto results = (*program)->run(arguments, loops);
  if (!results)
    FAIL(results.status().message());
  return *results;
}

// Whole tiles and cut ones, channels and features that fill no vector, padding, several images a task.
const Layer kLayers[] = {
    {2, 14, 14, 64, 64, 1, 1, true}, {3, 9, 13, 37, 50, 0, 0, true},    {1, 30, 18, 16, 133, 2, 0, true},
    {8, 7, 7, 96, 32, 1, 1, true},   {2, 12, 11, 128, 96, 1, 1, false}, {1, 58, 6, 40, 40, 2, 2, true},
};

} // namespace

TEST_CASE("Convolutions by Winograd's method are within their bound of sums in f64", "[winograd]") {
  // docs/guide.md
  constexpr double bound = 32;
  for (const Layer &layer : kLayers) {
    const Tensors arguments = {filled(layer.channelsLast
                                          ? Shape{layer.batch, layer.height, layer.width, layer.channels}
                                          : Shape{layer.batch, layer.channels, layer.height, layer.width},
                                      1),
                               filled(Shape{layer.features, layer.channels, 3, 3}, 2)};
    CAPTURE(layer.height, layer.width, layer.channels, layer.features, layer.channelsLast);
    std::vector<std::byte> bits;
    for (const compiler::CompileOptions &options : waysOf(true))
      for (Loops loops : {Loops::Serial, Loops::Backward}) {
        int winograds;
        const Tensors results = resultsOf(layer, options, arguments, loops, winograds);
        CAPTURE(options.target.cpu, options.fusion);
        CHECK(winograds == 1);
        if (bits.empty())
          CHECK(greatestError(layer, arguments[0], arguments[1], results[0]) <= bound);
        // Fused or not, in any order of tasks, on any processor.
        if (bits.empty())
          bits.assign(results[0].bytes.begin(), results[0].bytes.end());
        CHECK(std::equal(bits.begin(), bits.end(), results[0].bytes.begin(), results[0].bytes.end()));
      }
  }
}

TEST_CASE("Without fast math no convolution is computed by Winograd's method", "[winograd]") {
  const Layer &layer = kLayers[0];
  const Tensors arguments = {filled(Shape{layer.batch, layer.height, layer.width, layer.channels}, 1),
                             filled(Shape{layer.features, layer.channels, 3, 3}, 2)};
  for (const compiler::CompileOptions &options : waysOf(false)) {
    int winograds;
    const Tensors results = resultsOf(layer, options, arguments, Loops::Serial, winograds);
    CHECK(winograds == 0);
    // Less than a rounding a step.
    CHECK(greatestError(layer, arguments[0], arguments[1], results[0]) <= 4);
  }
}

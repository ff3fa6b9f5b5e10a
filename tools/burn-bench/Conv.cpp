// Convolutions and their gradients beside oneDNN: with tensors laid out as ours, and in the layouts that it chooses.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/OneDnnLayers.h"

#include <cmath>

#include <fmt/format.h>

namespace burn::bench {
namespace {

using Part = Convolution::Part;

/// The first layers of well-known networks, a depthwise layer, and the two of the MNIST example.
const Convolution kConvolutions[] = {
    {16, 3, 227, 96, 11, 4},
    {16, 64, 56, 64, 3, 1, 1},
    {16, 96, 24, 256, 5},
    {16, 256, 12, 512, 3},
    {16, 64, 56, 128, 3, 2, 1},
    {16, 64, 56, 256, 1},
    {16, 128, 56, 128, 3, 1, 1, 128},
    {64, 1, 28, 32, 3},
    {64, 32, 26, 64, 3},
};

std::string nameOf(const Convolution &c, Part part) {
  std::string name = fmt::format("{}x{}x{}^2 {}x{}^2", c.batch, c.features, c.size, c.outFeatures, c.window);
  if (c.stride > 1)
    name += fmt::format(" s{}", c.stride);
  if (c.padding > 0)
    name += fmt::format(" p{}", c.padding);
  if (c.groups > 1)
    name += c.groups == c.features ? " depthwise" : fmt::format(" {} groups", c.groups);
  return name + (part == Part::Forward ? "" : part == Part::DataGradient ? ", of data" : ", of weights");
}

/// Tensors as [batch, features, height, width], or channels last: [batch, height, width, features] with a kernel of
/// [height, width, in features, out features].
std::string programText(const Convolution &c, Part part, bool channelsLast) {
  const auto image = [&](int64_t features, int64_t size) {
    return channelsLast ? fmt::format("tensor<{0}x{1}x{1}x{2}xf32>", c.batch, size, features)
                        : fmt::format("tensor<{0}x{2}x{1}x{1}xf32>", c.batch, size, features);
  };
  const std::string x = image(c.features, c.size), y = image(c.outFeatures, c.outSize()),
                    w = channelsLast
                            ? fmt::format("tensor<{0}x{0}x{1}x{2}xf32>", c.window, c.features / c.groups, c.outFeatures)
                            : fmt::format("tensor<{2}x{1}x{0}x{0}xf32>", c.window, c.features / c.groups,
                                          c.outFeatures),
                    imageDims = channelsLast ? "0, 3, 1, 2" : "0, 1, 2, 3",
                    kernelDims = channelsLast ? "3, 2, 0, 1" : "0, 1, 2, 3";
  const std::string conv = fmt::format(
      "  %y = burn.conv %x, %w {{lhs_dims = array<i64: {6}>, rhs_dims = array<i64: {7}>,\n"
      "      out_dims = array<i64: {6}>, strides = array<i64: {0}, {0}>, pad_low = array<i64: {1}, {1}>,\n"
      "      pad_high = array<i64: {1}, {1}>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,\n"
      "      feature_groups = {2}, batch_groups = 1}} : {3}, {4} to {5}\n",
      c.stride, c.padding, c.groups, x, w, y, imageDims, kernelDims);
  if (part == Part::Forward)
    return fmt::format("func.func @main(%x: {}, %w: {}) -> {} {{\n{}  return %y : {}\n}}\n", x, w, y, conv, y);
  const bool ofData = part == Part::DataGradient;
  return fmt::format("func.func @main(%x: {0}, %w: {1}, %g: {2}) -> {3} {{\n{4}"
                     "  %d = burn.grad(%y) cotangents(%g) wrt({5}) : ({2}, {2}, {3}) -> {3}\n  return %d : {3}\n}}\n",
                     x, w, y, ofData ? x : w, conv, ofData ? "%x" : "%w");
}

/// A compiled program with its memory.
class Prepared {
public:
  explicit Prepared(const std::string &text) : program_(compileText(text)), arena_(makeArena(program_)) {
    for (const auto *values : {&program_.arguments(), &program_.results()})
      for (const Program::Value &value : *values) {
        owned_.push_back(makeBuffer(value.shape.numel(), static_cast<uint32_t>(owned_.size()) + 1));
        pointers_.push_back(owned_.back().get());
      }
  }
  void run() { program_.call(pointers_.data(), nullptr, arena_.get(), /*serial=*/true); }
  uint64_t arenaBytes() const { return program_.arena_bytes(); }

private:
  Program program_;
  decltype(makeArena(std::declval<const Program &>())) arena_;
  std::vector<FloatBuffer> owned_;
  std::vector<void *> pointers_;
};

/// Ours in both layouts, then each library in that of ours and in its own.
Json measure(const Convolution &c, Part part, const std::vector<OneDnnLibrary> &libraries, const Options &options) {
  const Pinned pinned;
  Prepared plain(programText(c, part, false)), channelsLast(programText(c, part, true));
  std::vector<std::string> names = {"ours", "ours channels last"};
  std::vector<std::function<void()>> calls = {[&] { plain.run(); }, [&] { channelsLast.run(); }};
  for (const OneDnnLibrary &library : libraries)
    for (const bool isPlain : {true, false}) {
      names.push_back(library.name() + (isPlain ? " plain" : " own layouts"));
      calls.push_back(prepareConvolution(library, c, part, isPlain));
    }
  std::vector<std::vector<double>> times(calls.size());
  double spent = 0;
  for (int round = 0; round < (options.quick ? 5 : 12) && (round < 3 || spent < 2); ++round)
    for (size_t i = 0; i < calls.size(); ++i) {
      const double time = timeOf(calls[i]);
      spent += time;
      if (round >= 1)
        times[i].push_back(time);
    }
  Json entry = {{"name", nameOf(c, part)}, {"arena_bytes", plain.arenaBytes()}};
  std::string line = fmt::format("{:<44}", nameOf(c, part));
  std::vector<double> best;
  for (size_t i = 0; i < calls.size(); ++i) {
    best.push_back(*std::min_element(times[i].begin(), times[i].end()));
    entry[names[i]] = summary(times[i]);
    line += fmt::format(" {:6.1f}", c.flops() / best[i] * 1e-9);
    if (i < 2)
      continue;
    // Plain beside plain, channels last beside the layouts that the library chooses.
    const double ratio = best[i] / best[i % 2];
    line += fmt::format(" ({:4.2f})", ratio);
    entry["ratio to " + names[i]] = ratio;
  }
  fmt::print("{}\n", line);
  return entry;
}

} // namespace

std::vector<NamedProgram> convolutionPrograms() {
  std::vector<NamedProgram> programs;
  for (const Part part : {Part::Forward, Part::DataGradient, Part::WeightGradient})
    for (const Convolution &c : kConvolutions)
      for (const bool channelsLast : {false, true})
        programs.push_back(
            {nameOf(c, part) + (channelsLast ? ", channels last" : ""), programText(c, part, channelsLast)});
  return programs;
}

Json benchConv(const Options &options) {
  const std::vector<OneDnnLibrary> libraries = openOneDnnLibraries(options.onednn, 1);
  Json report = {{"unit", "s, one thread; ratios above 1: ours is faster"}, {"cases", Json::array()}};
  std::string peers;
  for (const OneDnnLibrary &library : libraries)
    peers += fmt::format(", {0} plain (ratio), {0} own layouts (ratio to channels last)", library.name());
  fmt::print("convolution, GF/s: ours, ours channels last{}\n", peers);
  // Logarithms of the ratios, by part and peer.
  std::vector<std::vector<double>> sums(3, std::vector<double>(2 * libraries.size()));
  std::vector<int> counts(3);
  for (const Part part : {Part::Forward, Part::DataGradient, Part::WeightGradient})
    for (const Convolution &c : kConvolutions) {
      if (nameOf(c, part).find(options.filter) == std::string::npos)
        continue;
      const Json &entry = report["cases"].emplace_back(measure(c, part, libraries, options));
      ++counts[static_cast<int>(part)];
      size_t next = 0;
      for (const OneDnnLibrary &library : libraries)
        for (const char *layouts : {" plain", " own layouts"})
          sums[static_cast<int>(part)][next++] += std::log(entry["ratio to " + library.name() + layouts].get<double>());
    }
  for (int part = 0; part < 3; ++part) {
    if (counts[part] == 0 || libraries.empty())
      continue;
    std::string line = fmt::format("geometric mean, {}:", part == 0   ? "forward"
                                                          : part == 1 ? "gradients of data"
                                                                      : "gradients of weights");
    Json means = Json::array();
    for (double sum : sums[part]) {
      means.push_back(std::exp(sum / counts[part]));
      line += fmt::format(" {:.2f}", means.back().get<double>());
    }
    report["means"].push_back(means);
    fmt::print("{}\n", line);
  }
  return report;
}

} // namespace burn::bench

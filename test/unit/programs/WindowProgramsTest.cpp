// Windows with what stands before them, and their gradients: fused kernels have the bits of the unfused ones, whose
// ops agree with the interpreter.
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "test/unit/programs/Arguments.h"
#include "tools/burn-fuzz/CompiledProgram.h"
#include "tools/burn-fuzz/Oracle.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::fuzz;

namespace {

using Sizes = std::vector<int64_t>;

std::string list(const Sizes &sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? ": " : ", ") + std::to_string(size);
  return "array<i64" + text + ">";
}

std::string tensorOf(const Sizes &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

struct Windows {
  Sizes shape, window, strides;
  std::string element = "f32";
  std::string kind = "max";
  Sizes low = {}, high = {};
};

// Extrema over a product that is rounded to few values, so that some tie, and their gradient.
std::string program(const Windows &w) {
  const size_t rank = w.shape.size();
  const Sizes none(rank, 0), ones(rank, 1), low = w.low.empty() ? none : w.low, high = w.high.empty() ? none : w.high;
  Sizes result, all;
  for (size_t i = 0; i != rank; ++i) {
    result.push_back((w.shape[i] + low[i] + high[i] - w.window[i]) / w.strides[i] + 1);
    all.push_back(static_cast<int64_t>(i));
  }
  const Sizes kept(w.shape.begin(), w.shape.end() - 1), leading(all.begin(), all.end() - 1);
  const std::string x = tensorOf(w.shape, w.element), y = tensorOf(result, w.element), s = tensorOf({}, w.element),
                    r = tensorOf(kept, w.element);
  return "func.func @main(%x: " + x + ", %c: " + x + ", %w: " + y + ") -> (" + y + ", " + x + ", " + x + ") {\n" +
         "%s = burn.reduce sum %x {dims = " + list({all.back()}) + "} : " + x + " to " + r + "\n" +
         "%b = burn.broadcast %s {dims = " + list(leading) + "} : " + r + " to " + x + "\n" +
         "%m = burn.mul %x, %c : " + x + "\n%n = burn.floor %m : " + x + "\n%d = burn.sub %n, %b : " + x + "\n" +
         "%y = burn.relu %d : " + x + "\n%r = burn.reduce_window " + w.kind + " %y {base_dilation = " + list(ones) +
         ", pad_high = " + list(high) + ", pad_low = " + list(low) + ", strides = " + list(w.strides) +
         ", window = " + list(w.window) + ", window_dilation = " + list(ones) + "} : " + x + " to " + y + "\n" +
         "%q = burn.mul %r, %w : " + y + "\n%l = burn.reduce sum %q {dims = " + list(all) + "} : " + y + " to " + s +
         "\n%g:2 = burn.grad(%l) wrt(%c, %d) : (" + s + ", " + x + ", " + x + ") -> (" + x + ", " + x + ")\n" +
         "return %r, %g#0, %g#1 : " + y + ", " + x + ", " + x + "\n}\n";
}

} // namespace

TEST_CASE("windows: extrema and their gradients, in one sweep and beside ops that are computed again") {
  const Windows cases[] = {
      {{4, 8, 13, 13}, {1, 1, 2, 2}, {1, 1, 2, 2}},
      {{3, 5, 26, 26}, {1, 1, 2, 2}, {1, 1, 2, 2}, "f32", "min"},
      {{2, 3, 37, 70}, {1, 1, 2, 2}, {1, 1, 2, 2}},
      {{2, 3, 20, 33}, {1, 1, 2, 2}, {1, 1, 3, 2}},
      {{2, 3, 30, 31}, {1, 1, 3, 3}, {1, 1, 3, 3}},
      {{2, 3, 30, 54}, {1, 1, 3, 2}, {1, 1, 4, 4}},
      {{2, 3, 8, 10, 17}, {1, 1, 2, 1, 3}, {1, 1, 3, 1, 4}},
      {{8750}, {2}, {2}},
      {{4, 8, 13, 13}, {1, 1, 2, 2}, {1, 1, 2, 2}, "f64"},
      {{4, 8, 13, 13}, {1, 1, 2, 2}, {1, 1, 2, 2}, "bf16"},
      // Channels last: by comparisons of slices.
      {{4, 13, 13, 16}, {1, 2, 2, 1}, {1, 2, 2, 1}},
      {{3, 26, 26, 40}, {1, 2, 2, 1}, {1, 2, 2, 1}, "f32", "min"},
      {{2, 12, 10, 32}, {1, 3, 3, 1}, {1, 3, 3, 1}},
      {{3, 27, 16}, {1, 2, 1}, {1, 2, 1}, "f64"},
      {{2, 3, 4, 6, 64}, {1, 1, 2, 2, 1}, {1, 1, 2, 2, 1}, "bf16"},
      // In general, by gathers and scatters.
      {{4, 8, 14, 14}, {1, 1, 3, 3}, {1, 1, 2, 2}, "f32", "max", {0, 0, 1, 1}, {0, 0, 1, 1}},
      {{4, 8, 14, 14}, {1, 1, 2, 2}, {1, 1, 1, 1}, "f32", "max", {0, 0, 0, 0}, {0, 0, 1, 1}},
  };
  for (const Windows &windows : cases) {
    std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
    const std::string text = program(windows);
    INFO(text);
    auto read = readProgram(*context, text, "program");
    REQUIRE(read);
    const std::string failure = findFailure(*read, {/*onHost=*/true, /*thorough=*/false, nullptr});
    INFO(failure);
    CHECK(failure.empty());
  }
}

TEST_CASE("windows: extrema of channels that are last are those of channels that are first, to the bit") {
  const std::string x = "tensor<2x7x9x16xf32>", y = "tensor<2x3x4x16xf32>", xt = "tensor<2x16x7x9xf32>",
                    yt = "tensor<2x16x3x4xf32>";
  const auto pooled = [](const std::string &kind, const std::string &window, const std::string &from,
                         const std::string &to, const std::string &names) {
    return "%p" + names + " = burn.reduce_window " + kind + " %x" + names +
           " {base_dilation = array<i64: 1, 1, 1, 1>, pad_high = array<i64: 0, 0, 0, 0>,\n"
           "    pad_low = array<i64: 0, 0, 0, 0>, strides = array<i64: " +
           window + ">, window = array<i64: " + window + ">, window_dilation = array<i64: 1, 1, 1, 1>} : " + from +
           " to " + to + "\n%d" + names + " = burn.grad(%p" + names + ") cotangents(%g" + names + ") wrt(%x" + names +
           ") : (" + to + ", " + to + ", " + from + ") -> " + from + "\n";
  };
  const std::string results = " -> (" + y + ", " + x + ") {\n";
  ir::HostTensor image = test::filled(Shape{2, 7, 9, 16}, 1), cotangent = test::filled(Shape{2, 3, 4, 16}, 2);
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float special[] = {0.0f, -0.0f, NAN, inf, -inf, 1.0f, 1.0f, -1.0f};
  for (size_t i = 0; i < image.bytes.size() / 4; ++i)
    std::memcpy(image.bytes.data() + 4 * i, &special[(i * 2654435761u >> 7) % 8], 4);
  for (size_t i = 0; i < cotangent.bytes.size() / 4; i += 3)
    std::memcpy(cotangent.bytes.data() + 4 * i, &special[i % 8], 4);
  for (const std::string kind : {"max", "min"}) {
    const std::string last = "func.func @main(%x: " + x + ", %g: " + y + ")" + results +
                             pooled(kind, "1, 2, 2, 1", x, y, "") + "return %p, %d : " + y + ", " + x + "\n}\n";
    const std::string first = "func.func @main(%x: " + x + ", %g: " + y + ")" + results +
                              "%xt = burn.transpose %x {perm = array<i64: 0, 3, 1, 2>} : " + x + " to " + xt +
                              "\n%gt = burn.transpose %g {perm = array<i64: 0, 3, 1, 2>} : " + y + " to " + yt + "\n" +
                              pooled(kind, "1, 1, 2, 2", xt, yt, "t") +
                              "%p = burn.transpose %pt {perm = array<i64: 0, 2, 3, 1>} : " + yt + " to " + y +
                              "\n%d = burn.transpose %dt {perm = array<i64: 0, 2, 3, 1>} : " + xt + " to " + x +
                              "\nreturn %p, %d : " + y + ", " + x + "\n}\n";
    for (bool onHost : {false, true}) {
      std::vector<std::vector<float>> found;
      for (const std::string &text : {last, first})
        for (bool fusion : {true, false}) {
          auto context = compiler::makeContext();
          auto module = compiler::parseProgram(*context, text, "program", "");
          REQUIRE(module);
          auto program = CompiledProgram::compile(**module, onHost ? hostOptions(fusion) : portableOptions(fusion));
          REQUIRE(program);
          const Tensors arguments = {image, cotangent};
          auto values = (*program)->run(arguments, Loops::Serial);
          REQUIRE(values);
          std::vector<float> &all = found.emplace_back();
          for (const ir::HostTensor &tensor : *values) {
            const size_t before = all.size();
            all.resize(before + tensor.bytes.size() / 4);
            std::memcpy(all.data() + before, tensor.bytes.data(), tensor.bytes.size());
          }
        }
      for (const std::vector<float> &other : found) {
        int64_t differences = 0;
        for (size_t i = 0; i < other.size(); ++i)
          differences += std::isnan(other[i]) ? !std::isnan(found[0][i])
                                              : std::memcmp(&other[i], &found[0][i], sizeof(float)) != 0;
        CHECK(differences == 0);
      }
    }
  }
}

// Windows with what stands before them, and their gradients: fused kernels have the bits of the unfused ones, whose
// ops agree with the interpreter.
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/Oracle.h"

#include <catch2/catch.hpp>

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

// Reductions of transposed tensors combine in the transposed order: a kernel that goes over the tensor as it lies has
// the bits of one that reads a transposed copy, which is what programs without fusion do.
#include "passes/Graph/Import.h"
#include "test/unit/programs/Arguments.h"
#include "test/unit/programs/Results.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace burn;
using namespace burn::fuzz;
using namespace burn::test;

namespace {

struct Case {
  std::vector<int64_t> shape, perm, dims; // dims of what is transposed, as reduced
  bool isTurned = true;
};

const Case kCases[] = {
    // Channels last, over all places of all images.
    {{3, 13, 13, 64}, {0, 3, 1, 2}, {0, 2, 3}},
    {{5, 9, 8, 40}, {0, 3, 1, 2}, {0, 2, 3}},
    {{2, 4, 5, 8}, {0, 3, 1, 2}, {0, 2, 3}},
    {{17, 3, 3, 100}, {0, 3, 1, 2}, {0, 2, 3}},
    {{4, 11, 19, 200}, {0, 3, 1, 2}, {0, 2, 3}},
    {{9, 16, 16, 16}, {0, 3, 1, 2}, {0, 2, 3}},
    {{1, 40, 40, 24}, {0, 3, 1, 2}, {0, 2, 3}},
    {{300, 1, 7, 32}, {0, 3, 1, 2}, {0, 2, 3}},
    // Of each image, of volumes, of sequences, of a matrix.
    {{6, 7, 11, 48}, {0, 3, 1, 2}, {2, 3}},
    {{2, 3, 4, 5, 24}, {0, 4, 1, 2, 3}, {0, 2, 3, 4}},
    {{7, 70, 33}, {0, 2, 1}, {0, 2}},
    {{1000, 20}, {1, 0}, {1}},
    // No kernel goes over these as they lie.
    {{8, 70, 6}, {0, 2, 1}, {0, 2}, false},
    {{4, 6, 70, 16}, {0, 3, 2, 1}, {0, 2, 3}, false},
};

std::string typeOf(std::span<const int64_t> shape, std::string_view element) {
  return fmt::format("tensor<{}{}{}>", fmt::join(shape, "x"), shape.empty() ? "" : "x", element);
}

/// A sum, times what is donated, and the squared distance from that; then the distances, in several sweeps over one
/// domain, and a result that may take the place of what is donated, which all of these sweeps read.
std::string statistics(const Case &c, std::string_view kind, std::string_view element, bool centred) {
  std::vector<int64_t> turned, kept, broadcast;
  for (size_t i = 0; i < c.perm.size(); ++i) {
    turned.push_back(c.shape[c.perm[i]]);
    if (std::find(c.dims.begin(), c.dims.end(), int64_t(i)) == c.dims.end())
      kept.push_back(turned.back()), broadcast.push_back(c.perm[i]);
  }
  std::sort(broadcast.begin(), broadcast.end());
  const std::string x = typeOf(c.shape, element), t = typeOf(turned, element), r = typeOf(kept, element);
  const auto reduce = [&](std::string_view result, std::string_view from) {
    return fmt::format("  %t{0} = burn.transpose %{1} {{perm = array<i64: {2}>}} : {3} to {4}\n"
                       "  %{0} = burn.reduce {5} %t{0} {{dims = array<i64: {6}>}} : {4} to {7}\n",
                       result, from, fmt::join(c.perm, ", "), x, t, kind, fmt::join(c.dims, ", "), r);
  };
  std::string text =
      fmt::format("func.func @main(%x: {0}, %g: {1} {{burn.donated}}) -> ({1}, {1}, {2}) {{\n", x, r, centred ? x : r) +
      reduce("m", "x");
  text += fmt::format("  %k = burn.mul %m, %g : {1}\n"
                      "  %b = burn.broadcast %k {{dims = array<i64: {2}>}} : {1} to {0}\n"
                      "  %c = burn.sub %x, %b : {0}\n  %q = burn.mul %c, %c : {0}\n",
                      x, r, fmt::join(broadcast, ", "));
  text += reduce("v", "q");
  if (centred) {
    text += fmt::format("  %w = burn.broadcast %v {{dims = array<i64: {2}>}} : {1} to {0}\n"
                        "  %n = burn.div %c, %w : {0}\n  %o = burn.add %m, %g : {1}\n"
                        "  return %o, %v, %n : {1}, {1}, {0}\n}}\n",
                        x, r, fmt::join(broadcast, ", "));
  } else {
    text += fmt::format("  %o = burn.add %m, %v : {0}\n  return %m, %v, %o : {0}, {0}, {0}\n}}\n", r);
  }
  return text;
}

Tensors argumentsFor(const Case &c, std::string_view element) {
  std::vector<int64_t> kept;
  for (size_t i = 0; i < c.perm.size(); ++i)
    if (std::find(c.dims.begin(), c.dims.end(), int64_t(i)) == c.dims.end())
      kept.push_back(c.shape[c.perm[i]]);
  Tensors arguments = {filled(Shape(std::span<const int64_t>(c.shape)), 1),
                       filled(Shape(std::span<const int64_t>(kept)), 2)};
  if (element == "f32")
    return arguments;
  for (ir::HostTensor &tensor : arguments) {
    ir::HostTensor narrow(core::TypeDesc{element == "f64" ? DType::F64 : DType::BF16, tensor.type.shape});
    for (int64_t i = 0; i < tensor.type.shape.numel(); ++i) {
      float value;
      std::memcpy(&value, tensor.bytes.data() + 4 * i, 4);
      if (element == "f64") {
        const double wide = value;
        std::memcpy(narrow.bytes.data() + 8 * i, &wide, 8);
      } else {
        std::memcpy(narrow.bytes.data() + 2 * i, tensor.bytes.data() + 4 * i + 2, 2); // rounded to zero
      }
    }
    tensor = std::move(narrow);
  }
  return arguments;
}

void check(const Case &c, std::string_view kind, std::string_view element, bool centred) {
  const std::string text = statistics(c, kind, element, centred);
  CAPTURE(text);
  const Tensors arguments = argumentsFor(c, element);
  const Tensors right = resultsOf(text, arguments, portableOptions(false), Loops::Serial);
  for (const compiler::CompileOptions &options : {portableOptions(true), hostOptions(true)})
    for (Loops loops : {Loops::Serial, Loops::Backward, Loops::Threads}) {
      CAPTURE(options.target.cpu, int(loops));
      const Tensors found = resultsOf(text, arguments, options, loops);
      for (size_t i = 0; i < right.size(); ++i)
        CHECK(found[i].bytes == right[i].bytes);
    }
}

} // namespace

TEST_CASE("turned reductions: statistics of any shape have the bits of a transposed copy's", "[layout]") {
  for (const Case &c : kCases)
    for (bool centred : {false, true})
      check(c, "sum", "f32", centred);
}

TEST_CASE("turned reductions: other types and combiners", "[layout]") {
  for (std::string_view element : {"f64", "bf16"})
    for (size_t i : {0, 3, 8})
      check(kCases[i], "sum", element, i == 0);
  for (std::string_view kind : {"prod", "max"})
    check(kCases[1], kind, "f32", true);
}

TEST_CASE("turned reductions: kernels go over tensors as they lie where they can", "[layout]") {
  for (const Case &c : kCases) {
    const std::string text = statistics(c, "sum", "f32", true);
    CAPTURE(text);
    auto context = compiler::makeContext();
    auto module = compiler::parseProgram(*context, text, "program", "");
    REQUIRE(module);
    const core::Expected<std::string> fused = compiler::printStage(**module, hostOptions(true), "fused");
    if (!fused)
      FAIL(fused.status().message());
    CHECK((fused->find("walk = ") != std::string::npos) == c.isTurned);
  }
}

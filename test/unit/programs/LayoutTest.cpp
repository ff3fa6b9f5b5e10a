// Layouts change no bit: a program gives the same as its parts, which are laid out each by itself.
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "test/unit/programs/Arguments.h"
#include "tools/burn-fuzz/CompiledProgram.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::fuzz;
using namespace burn::test;

namespace {

const std::string kImage = "tensor<8x32x14x15xf32>", kKernel = "tensor<64x32x3x3xf32>",
                  kResult = "tensor<8x64x12x13xf32>", kPooled = "tensor<8x64x6x6xf32>";

const std::string kConv =
    "  %c = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,\n"
    "      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,\n"
    "      pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,\n"
    "      feature_groups = 1, batch_groups = 1} : " +
    kImage + ", " + kKernel + " to " + kResult + "\n";

struct Reader {
  std::string name, ops, type;
};

/// What reads the convolution: sums over places, over channels, over windows, and maxima, which may be turned.
const Reader kReaders[] = {
    {"batch statistics", "  %r = burn.reduce sum %c {dims = array<i64: 0, 2, 3>} : " + kResult + " to tensor<64xf32>\n",
     "tensor<64xf32>"},
    {"sums over channels",
     "  %e = burn.exp %c : " + kResult + "\n  %r = burn.reduce sum %e {dims = array<i64: 1>} : " + kResult +
         " to tensor<8x12x13xf32>\n",
     "tensor<8x12x13xf32>"},
    {"sums over windows",
     "  %r = burn.reduce_window sum %c {window = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1, 2, 2>,\n"
     "      pad_low = array<i64: 0, 0, 0, 0>, pad_high = array<i64: 0, 0, 0, 0>,\n"
     "      base_dilation = array<i64: 1, 1, 1, 1>, window_dilation = array<i64: 1, 1, 1, 1>} : " +
         kResult + " to " + kPooled + "\n",
     kPooled},
    {"maxima over windows",
     "  %r = burn.reduce_window max %c {window = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1, 2, 2>,\n"
     "      pad_low = array<i64: 0, 0, 0, 0>, pad_high = array<i64: 0, 0, 0, 0>,\n"
     "      base_dilation = array<i64: 1, 1, 1, 1>, window_dilation = array<i64: 1, 1, 1, 1>} : " +
         kResult + " to " + kPooled + "\n",
     kPooled},
};

Tensors resultsOf(const std::string &text, const Tensors &arguments, const compiler::CompileOptions &options) {
  auto context = compiler::makeContext();
  auto module = compiler::parseProgram(*context, text, "program", "");
  REQUIRE(module);
  auto program = CompiledProgram::compile(**module, options);
  if (!program)
    FAIL(program.status().message());
  auto results = (*program)->run(arguments, Loops::Serial);
  if (!results)
    FAIL(results.status().message());
  return *results;
}

} // namespace

TEST_CASE("A program has the bits of its parts, whatever layouts they are given", "[layout]") {
  const Tensors arguments = {filled(Shape{8, 32, 14, 15}, 1), filled(Shape{64, 32, 3, 3}, 2)};
  for (const Reader &reader : kReaders)
    for (const compiler::CompileOptions &options : {portableOptions(true), hostOptions(true), hostOptions(false)}) {
      CAPTURE(reader.name, options.target.cpu, options.fusion);
      const Tensors whole =
          resultsOf("func.func @main(%x: " + kImage + ", %w: " + kKernel + ") -> (" + kResult + ", " + reader.type +
                        ") {\n" + kConv + reader.ops + "  return %c, %r : " + kResult + ", " + reader.type + "\n}\n",
                    arguments, options);
      const Tensors first = resultsOf("func.func @main(%x: " + kImage + ", %w: " + kKernel + ") -> " + kResult +
                                          " {\n" + kConv + "  return %c : " + kResult + "\n}\n",
                                      arguments, options);
      const Tensors second = resultsOf("func.func @main(%c: " + kResult + ") -> " + reader.type + " {\n" + reader.ops +
                                           "  return %r : " + reader.type + "\n}\n",
                                       first, options);
      CHECK(whole[0].bytes == first[0].bytes);
      CHECK(whole[1].bytes == second[0].bytes);
    }
}

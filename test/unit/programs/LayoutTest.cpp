// Layouts change no bit: a program gives the same as its parts, which are laid out each by itself.
#include "passes/Graph/Import.h"
#include "test/unit/programs/Arguments.h"
#include "test/unit/programs/Results.h"

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

// A layer as it is trained: convolution with bias, batch norm, ReLU, pooling, and all of their gradients; and the same
// in three programs.
const std::string kChannels = "tensor<64xf32>";
const std::string kBiased = kConv + "  %k = burn.broadcast %a {dims = array<i64: 1>} : " + kChannels + " to " +
                            kResult + "\n  %y = burn.add %c, %k : " + kResult + "\n";

std::string normAndPool(const std::string &pool) {
  return "  %n, %mean, %var = burn.batch_norm %y, %s, %b {feature_dim = 1, epsilon = 1.0e-5 : f64} : " + kResult +
         ", " + kChannels + "\n  %r = burn.relu %n : " + kResult + "\n  %p = burn.reduce_window " + pool +
         " %r {window = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1, 2, 2>,\n"
         "      pad_low = array<i64: 0, 0, 0, 0>, pad_high = array<i64: 0, 0, 0, 0>,\n"
         "      base_dilation = array<i64: 1, 1, 1, 1>, window_dilation = array<i64: 1, 1, 1, 1>} : " +
         kResult + " to " + kPooled + "\n";
}

/// %p, the statistics, and the gradients of the norm's parameters; then those of the layer's image, kernel and bias,
/// and the norm's scale behind a step against its gradient, in the place of the scale.
std::string wholeLayer(const std::string &pool) {
  return "func.func @main(%x: " + kImage + ", %w: " + kKernel + ", %a: " + kChannels + ", %s: " + kChannels +
         " {burn.donated}, %b: " + kChannels + ", %g: " + kPooled + ") -> (" + kPooled + ", " + kChannels + ", " +
         kChannels + ", " + kChannels + ", " + kChannels + ", " + kImage + ", " + kKernel + ", " + kChannels + ", " +
         kChannels + ") {\n" + kBiased + normAndPool(pool) +
         "  %d:5 = burn.grad(%p) cotangents(%g) wrt(%s, %b, %x, %w, %a) : (" + kPooled + ", " + kPooled + ", " +
         kChannels + ", " + kChannels + ", " + kImage + ", " + kKernel + ", " + kChannels + ") -> (" + kChannels +
         ", " + kChannels + ", " + kImage + ", " + kKernel + ", " + kChannels + ")\n" +
         "  %rate = burn.constant dense<0.125> : " + kChannels + "\n  %step = burn.mul %rate, %d#0 : " + kChannels +
         "\n  %next = burn.sub %s, %step : " + kChannels + "\n" +
         "  return %p, %mean, %var, %d#0, %d#1, %d#2, %d#3, %d#4, %next : " + kPooled + ", " + kChannels + ", " +
         kChannels + ", " + kChannels + ", " + kChannels + ", " + kImage + ", " + kKernel + ", " + kChannels + ", " +
         kChannels + "\n}\n";
}

ir::HostTensor stepped(const ir::HostTensor &scale, const ir::HostTensor &gradient) {
  ir::HostTensor next = scale;
  for (size_t i = 0; i < scale.bytes.size() / 4; ++i) {
    float from, by;
    std::memcpy(&from, scale.bytes.data() + 4 * i, 4);
    std::memcpy(&by, gradient.bytes.data() + 4 * i, 4);
    const float to = from - 0.125f * by;
    std::memcpy(next.bytes.data() + 4 * i, &to, 4);
  }
  return next;
}

std::string convolution() {
  return "func.func @main(%x: " + kImage + ", %w: " + kKernel + ", %a: " + kChannels + ") -> " + kResult + " {\n" +
         kBiased + "  return %y : " + kResult + "\n}\n";
}

std::string norm(const std::string &pool) {
  return "func.func @main(%y: " + kResult + ", %s: " + kChannels + ", %b: " + kChannels + ", %g: " + kPooled +
         ") -> (" + kPooled + ", " + kChannels + ", " + kChannels + ", " + kChannels + ", " + kChannels + ", " +
         kResult + ") {\n" + normAndPool(pool) + "  %d:3 = burn.grad(%p) cotangents(%g) wrt(%s, %b, %y) : (" + kPooled +
         ", " + kPooled + ", " + kChannels + ", " + kChannels + ", " + kResult + ") -> (" + kChannels + ", " +
         kChannels + ", " + kResult + ")\n  return %p, %mean, %var, %d#0, %d#1, %d#2 : " + kPooled + ", " + kChannels +
         ", " + kChannels + ", " + kChannels + ", " + kChannels + ", " + kResult + "\n}\n";
}

std::string gradients() {
  return "func.func @main(%x: " + kImage + ", %w: " + kKernel + ", %a: " + kChannels + ", %g: " + kResult + ") -> (" +
         kImage + ", " + kKernel + ", " + kChannels + ") {\n" + kBiased +
         "  %d:3 = burn.grad(%y) cotangents(%g) wrt(%x, %w, %a) : (" + kResult + ", " + kResult + ", " + kImage + ", " +
         kKernel + ", " + kChannels + ") -> (" + kImage + ", " + kKernel + ", " + kChannels + ")\n" +
         "  return %d#0, %d#1, %d#2 : " + kImage + ", " + kKernel + ", " + kChannels + "\n}\n";
}

} // namespace

TEST_CASE("A layer in training has the bits of its parts, on any processor and any threads", "[layout]") {
  const auto channels = [](uint32_t seed) { return filled(Shape{64}, seed); };
  const Tensors arguments = {
      filled(Shape{8, 32, 14, 15}, 1), filled(Shape{64, 32, 3, 3}, 2), channels(3), channels(4), channels(5),
      filled(Shape{8, 64, 6, 6}, 6)};
  for (const std::string pool : {"max", "sum"}) {
    Tensors right;
    for (const compiler::CompileOptions &options :
         {portableOptions(false), portableOptions(true), hostOptions(false), hostOptions(true)})
      for (Loops loops : {Loops::Serial, Loops::Threads}) {
        CAPTURE(pool, options.target.cpu, options.fusion, int(loops));
        const Tensors whole = resultsOf(wholeLayer(pool), arguments, options, loops);
        const Tensors image = resultsOf(convolution(), {arguments[0], arguments[1], arguments[2]}, options, loops);
        const Tensors normed =
            resultsOf(norm(pool), {image[0], arguments[3], arguments[4], arguments[5]}, options, loops);
        const Tensors grads =
            resultsOf(gradients(), {arguments[0], arguments[1], arguments[2], normed[5]}, options, loops);
        for (size_t i = 0; i < 5; ++i)
          CHECK(whole[i].bytes == normed[i].bytes);
        for (size_t i = 0; i < 3; ++i)
          CHECK(whole[5 + i].bytes == grads[i].bytes);
        CHECK(whole[8].bytes == stepped(arguments[3], normed[3]).bytes);
        if (right.empty())
          right = whole;
        for (size_t i = 0; i < right.size(); ++i)
          CHECK(whole[i].bytes == right[i].bytes);
      }
  }
}

TEST_CASE("A layer in training has its channels last, and transposes at its ends alone", "[layout]") {
  auto context = compiler::makeContext();
  auto module = compiler::parseProgram(*context, wholeLayer("max"), "program", "");
  REQUIRE(module);
  const core::Expected<std::string> fused = compiler::printStage(**module, hostOptions(true), "fused");
  if (!fused)
    FAIL(fused.status().message());
  // Statistics, the gradients of the norm and the bias: one kernel each way.
  const auto count = [&](const std::string &text) {
    size_t found = 0;
    for (size_t at = 0; (at = fused->find(text, at)) != std::string::npos; at += text.size())
      ++found;
    return found;
  };
  CHECK(count("walk = array<i64: 0, 3, 1, 2>") == 2);
  CHECK(count("burn.fused row") == 2);
  CHECK(count("lhs_dims = array<i64: 0, 3, 1, 2>") == 2);
  // Kernels of transposes: the image and the cotangent that come, and the image's gradient and the pooled image that
  // go.
  CHECK(count("-> tensor<8x64x12x13xf32>") == 0);
}

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

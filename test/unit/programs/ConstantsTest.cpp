// Operands that never change are packed before a program runs: frozen arguments once, constants as the program is
// compiled, and what loops leave as it is in front of them. No bit of a result tells.
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "test/unit/programs/Arguments.h"
#include "tools/burn-fuzz/CompiledProgram.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::fuzz;
using namespace burn::test;

namespace {

enum class Weights { Changing, Frozen, Constant };

struct Program {
  std::string name, text;
  Tensors arguments;
  // The first of these arguments, which all weights follow.
  unsigned firstWeight = 1;
};

Tensors resultsOf(const Program &program, Weights weights, const compiler::CompileOptions &options,
                  core::Plan *plan = nullptr) {
  auto context = compiler::makeContext();
  auto module = compiler::parseProgram(*context, program.text, "program", "");
  if (!module)
    FAIL(module.status().message());
  mlir::func::FuncOp main = *(**module).getOps<mlir::func::FuncOp>().begin();
  Tensors arguments = program.arguments;
  for (unsigned i = unsigned(arguments.size()); i-- > program.firstWeight;) {
    if (weights == Weights::Frozen)
      main.setArgAttr(i, compiler::kFrozenAttr, mlir::UnitAttr::get(context.get()));
    if (weights != Weights::Constant)
      continue;
    makeConstant(**module, i, arguments[i]);
    arguments.pop_back();
  }
  auto compiled = CompiledProgram::compile(**module, options);
  if (!compiled)
    FAIL(compiled.status().message());
  if (plan)
    *plan = (*compiled)->plan();
  auto results = (*compiled)->run(arguments, Loops::Backward);
  if (!results)
    FAIL(results.status().message());
  return *results;
}

void checkBits(const Program &program) {
  for (const compiler::CompileOptions &options : {portableOptions(true), hostOptions(true), hostOptions(false)}) {
    CAPTURE(program.name, options.target.cpu, options.fusion);
    const Tensors expected = resultsOf(program, Weights::Changing, options);
    for (Weights weights : {Weights::Frozen, Weights::Constant}) {
      const Tensors results = resultsOf(program, weights, options);
      REQUIRE(results.size() == expected.size());
      for (size_t i = 0; i < results.size(); ++i)
        CHECK(results[i].bytes == expected[i].bytes);
    }
  }
}

ir::HostTensor values(DType dtype, const Shape &shape, uint32_t seed) {
  ir::HostTensor result(core::TypeDesc{dtype, shape});
  const ir::HostTensor floats = filled(shape, seed);
  for (int64_t i = 0; i < shape.numel(); ++i) {
    float value;
    std::memcpy(&value, floats.bytes.data() + 4 * i, 4);
    const auto put = [&](auto element) {
      std::memcpy(result.bytes.data() + i * sizeof element, &element, sizeof element);
    };
    if (dtype == DType::F64)
      put(double(value) + double(value) * 0x1p-30);
    else if (dtype == DType::F16)
      put(f16(value));
    else if (dtype == DType::BF16)
      put(bf16(value));
    else if (dtype == DType::I8)
      put(int8_t(value * 127));
    else
      put(value);
  }
  return result;
}

std::string typeOf(DType dtype, const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += fmt::format("{}x", size);
  return text + (dtype == DType::I8 ? "i8" : std::string(burn::name(dtype))) + ">";
}

std::string dot(const std::string &lhs, const std::string &rhs, int lhsContract, int rhsContract,
                const std::string &types, int batch = 0) {
  const char *dims = batch ? "array<i64: 0>" : "array<i64>";
  return fmt::format("burn.dot_general {}, {} {{lhs_batch = {}, rhs_batch = {}, lhs_contract = array<i64: {}>, "
                     "rhs_contract = array<i64: {}>}} : {}",
                     lhs, rhs, dims, dims, lhsContract, rhsContract, types);
}

Program product(DType dtype, int64_t m, int64_t k, int64_t n, bool transposed, bool weightsFirst = false) {
  const Shape x{m, k}, w = transposed ? Shape{n, k} : Shape{k, n}, r = weightsFirst ? Shape{n, m} : Shape{m, n};
  const std::string xt = typeOf(dtype, x), wt = typeOf(dtype, w), rt = typeOf(dtype, r);
  const std::string op = weightsFirst ? dot("%w", "%x", transposed ? 1 : 0, 1, wt + ", " + xt + " to " + rt)
                                      : dot("%x", "%w", 1, transposed ? 1 : 0, xt + ", " + wt + " to " + rt);
  return {fmt::format("{} {}x{}x{} transposed {} first {}", burn::name(dtype), m, k, n, transposed, weightsFirst),
          fmt::format("func.func @main(%x: {}, %w: {}) -> {} {{\n  %r = {}\n  %e = burn.tanh %r : {}\n"
                      "  return %e : {}\n}}\n",
                      xt, wt, rt, op, rt, rt),
          {values(dtype, x, 1), values(dtype, w, 2)}};
}

Program convolution(const std::string &name, const Shape &x, const Shape &w, const Shape &r, int64_t stride,
                    int64_t pad, int64_t groups) {
  return {
      name,
      fmt::format("func.func @main(%x: {0}, %w: {1}) -> {2} {{\n"
                  "  %r = burn.conv %x, %w {{lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,\n"
                  "      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: {3}, {3}>,\n"
                  "      pad_low = array<i64: {4}, {4}>, pad_high = array<i64: {4}, {4}>,\n"
                  "      lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,\n"
                  "      feature_groups = {5}, batch_groups = 1}} : {0}, {1} to {2}\n  return %r : {2}\n}}\n",
                  typeOf(DType::F32, x), typeOf(DType::F32, w), typeOf(DType::F32, r), stride, pad, groups),
      {values(DType::F32, x, 1), values(DType::F32, w, 2)}};
}

const std::string kBody = R"(
    %f = burn.convert %a : tensor<32x32xi8> to tensor<32x32xf32>
    %g = burn.broadcast %b {dims = array<i64: 1>} : tensor<32xf32> to tensor<32x32xf32>
    %h = burn.mul %f, %g : tensor<32x32xf32>
    %d = )" + dot("%c", "%h", 1, 0, "tensor<64x32xf32>, tensor<32x32xf32> to tensor<64x32xf32>") +
                          R"(
    %t = burn.transpose %u {perm = array<i64: 1, 0>} : tensor<32x32xf32> to tensor<32x32xf32>
    %e = )" + dot("%d", "%t", 1, 0, "tensor<64x32xf32>, tensor<32x32xf32> to tensor<64x32xf32>") +
                          R"(
    %y = burn.tanh %e : tensor<64x32xf32>
)";

// A cell with three weights: w and s are a matrix of bytes with its scale, v is transposed.
Program cell(const std::string &name, const std::string &around) {
  return {name,
          "func.func @main(%x: tensor<64x32xf32>, %p: tensor<i1>, %w: tensor<32x32xi8>, %s: tensor<32xf32>,\n"
          "    %v: tensor<32x32xf32>) -> tensor<64x32xf32> {\n" +
              around + "}\n",
          {values(DType::F32, Shape{64, 32}, 1), ir::HostTensor(core::TypeDesc{DType::Bool, Shape{}}),
           values(DType::I8, Shape{32, 32}, 2), values(DType::F32, Shape{32}, 3), values(DType::F32, Shape{32, 32}, 4)},
          2};
}

const std::string kTypes = "tensor<32x32xi8>, tensor<32xf32>, tensor<32x32xf32>";
const std::string kArguments = "%a: tensor<32x32xi8>, %b: tensor<32xf32>, %u: tensor<32x32xf32>";

std::string loopOf(int trips) {
  return fmt::format(
      "  %lo = burn.constant dense<0> : tensor<i64>\n  %hi = burn.constant dense<{}> : tensor<i64>\n"
      "  %st = burn.constant dense<1> : tensor<i64>\n"
      "  %r = burn.for %lo to %hi step %st (%x) invariants (%w, %s, %v)\n      : (tensor<i64>, "
      "tensor<i64>, tensor<i64>, tensor<64x32xf32>, {}) -> tensor<64x32xf32> {{\n"
      "  ^bb0(%i: tensor<i64>, %c: tensor<64x32xf32>, {}):{}    burn.yield %y : tensor<64x32xf32>\n  }}\n"
      "  return %r : tensor<64x32xf32>\n",
      trips, kTypes, kArguments, kBody);
}

const std::string kBranch = "  %r = burn.if %p (%w, %s, %v, %x) : (" + kTypes +
                            ", tensor<64x32xf32>) -> tensor<64x32xf32>\n  then {\n  ^bb0(" + kArguments +
                            ", %c: tensor<64x32xf32>):\n    burn.yield %c : tensor<64x32xf32>\n  } else {\n  ^bb0(" +
                            kArguments + ", %c: tensor<64x32xf32>):" + kBody +
                            "    burn.yield %y : tensor<64x32xf32>\n  }\n  return %r : tensor<64x32xf32>\n";

// A loop while the count stays below three; its condition multiplies as well.
const std::string kWhile =
    "  %n = burn.constant dense<0> : tensor<i64>\n"
    "  %r:2 = burn.while (%n, %x) invariants (%w, %s, %v)\n      : (tensor<i64>, tensor<64x32xf32>, " +
    kTypes + ") -> (tensor<i64>, tensor<64x32xf32>)\n  cond {\n  ^bb0(%i: tensor<i64>, %c: tensor<64x32xf32>, " +
    kArguments + "):" + kBody +
    "    %m = burn.reduce max %y {dims = array<i64: 0, 1>} : tensor<64x32xf32> to tensor<f32>\n"
    "    %two = burn.constant dense<2.0> : tensor<f32>\n    %small = burn.compare lt %m, %two : tensor<f32>\n"
    "    %three = burn.constant dense<3> : tensor<i64>\n    %more = burn.compare lt %i, %three : tensor<i64>\n"
    "    %both = burn.and %small, %more : tensor<i1>\n    burn.yield %both : tensor<i1>\n"
    "  } do {\n  ^bb0(%i: tensor<i64>, %c: tensor<64x32xf32>, " +
    kArguments + "):" + kBody +
    "    %one = burn.constant dense<1> : tensor<i64>\n    %next = burn.add %i, %one : tensor<i64>\n"
    "    burn.yield %next, %y : tensor<i64>, tensor<64x32xf32>\n  }\n  return %r#1 : tensor<64x32xf32>\n";

// A convolution whose channels are last, of images x and kernels w [features, height, width, channels of a group].
Program channelsLast(const std::string &name, DType dtype, const Shape &x, const Shape &w, const Shape &r,
                     int64_t stride = 1, int64_t pad = 1, int64_t groups = 1, int64_t dilation = 1) {
  const std::string xt = typeOf(dtype, x), wt = typeOf(dtype, w), rt = typeOf(dtype, r);
  return {
      name,
      fmt::format("func.func @main(%x: {0}, %w: {1}) -> {2} {{\n"
                  "  %r = burn.conv %x, %w {{lhs_dims = array<i64: 0, 3, 1, 2>, rhs_dims = array<i64: 0, 3, 1, 2>,\n"
                  "      out_dims = array<i64: 0, 3, 1, 2>, strides = array<i64: {3}, {3}>,\n"
                  "      pad_low = array<i64: {4}, {4}>, pad_high = array<i64: {4}, {4}>,\n"
                  "      lhs_dilation = array<i64: {6}, {6}>, rhs_dilation = array<i64: 1, 1>,\n"
                  "      feature_groups = {5}, batch_groups = 1}} : {0}, {1} to {2}\n  return %r : {2}\n}}\n",
                  xt, wt, rt, stride, pad, groups, dilation),
      {values(dtype, x, 1), values(dtype, w, 2)}};
}

// The same with an infinite and a NaN weight, whose product with the zeros around an image is NaN.
Program withSpecials(Program program) {
  const float specials[] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
  std::memcpy(program.arguments[1].bytes.data() + 4 * 5, &specials[0], 4);
  std::memcpy(program.arguments[1].bytes.data() + 4 * 77, &specials[1], 4);
  program.name += " with special weights";
  return program;
}

// The same where products are too small for any sum but -0, which taps beyond the image turn into 0.
Program withUnderflow(Program program) {
  for (auto [number, value] : {std::pair(0, 0x1p-100f), std::pair(1, -0x1p-100f)})
    for (float &element : program.arguments[number].data<float>())
      element = value;
  program.name += " with sums of -0";
  return program;
}

unsigned packs(const core::Plan &plan) {
  unsigned count = 0;
  for (const core::PlanKernel &kernel : plan.kernels)
    count += unsigned(std::count(kernel.ops.begin(), kernel.ops.end(), "pack_panels"));
  return count;
}

} // namespace

TEST_CASE("Products have the same bits with weights that change, are frozen, or are constants", "[constants]") {
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16})
    for (const auto &[m, k, n] : std::vector<std::array<int64_t, 3>>{
             {1, 64, 64}, {1, 300, 70}, {5, 17, 3}, {40, 33, 100}, {64, 600, 96}, {130, 1500, 70}, {7, 1, 9}}) {
      checkBits(product(dtype, m, k, n, false));
      checkBits(product(dtype, m, k, n, true));
      checkBits(product(dtype, m, k, n, true, true));
    }
  checkBits(product(DType::F32, 24, 1024, 1500, true));
}

TEST_CASE("Weights behind ops whose code has bits of its own are computed by the program", "[constants]") {
  const std::string m = "tensor<64x64xf32>";
  checkBits({"a sum of exponentials, sines and weights",
             "func.func @main(%x: " + m + ", %w: " + m + ") -> " + m + " {\n  %i = burn.iota {dim = 1} : " + m +
                 "\n  %s = burn.sin %i : " + m + "\n  %e = burn.exp %w : " + m + "\n  %a = burn.add %s, %w : " + m +
                 "\n  %b = burn.add %a, %e : " + m + "\n  %r = " + dot("%x", "%b", 1, 0, m + ", " + m + " to " + m) +
                 "\n  return %r : " + m + "\n}\n",
             {values(DType::F32, Shape{64, 64}, 1), values(DType::F32, Shape{64, 64}, 2)}});
}

TEST_CASE("Weights of one element and of none", "[constants]") {
  for (const auto &[m, k, n] :
       std::vector<std::array<int64_t, 3>>{{1, 1, 1}, {3, 0, 5}, {3, 5, 0}, {0, 5, 3}, {1, 1, 20}})
    for (bool first : {false, true})
      checkBits(product(DType::F32, m, k, n, false, first));
}

TEST_CASE("Products of batches have the same bits", "[constants]") {
  const Shape x{3, 20, 30}, w{3, 30, 40}, r{3, 20, 40};
  const std::string xt = typeOf(DType::F32, x), wt = typeOf(DType::F32, w), rt = typeOf(DType::F32, r);
  checkBits({"batches",
             "func.func @main(%x: " + xt + ", %w: " + wt + ") -> " + rt + " {\n  %r = " +
                 dot("%x", "%w", 2, 1, xt + ", " + wt + " to " + rt, 1) + "\n  return %r : " + rt + "\n}\n",
             {values(DType::F32, x, 1), values(DType::F32, w, 2)}});
}

TEST_CASE("Convolutions have the same bits", "[constants]") {
  checkBits(convolution("3x3", Shape{2, 8, 13, 11}, Shape{24, 8, 3, 3}, Shape{2, 24, 13, 11}, 1, 1, 1));
  checkBits(convolution("3x3 of one place", Shape{1, 64, 3, 3}, Shape{128, 64, 3, 3}, Shape{1, 128, 3, 3}, 1, 1, 1));
  checkBits(convolution("strided", Shape{2, 8, 13, 11}, Shape{5, 8, 3, 3}, Shape{2, 5, 7, 6}, 2, 1, 1));
  checkBits(convolution("groups", Shape{2, 8, 13, 11}, Shape{12, 2, 3, 3}, Shape{2, 12, 11, 9}, 1, 0, 4));
  checkBits(convolution("1x1", Shape{2, 8, 13, 11}, Shape{16, 8, 1, 1}, Shape{2, 16, 13, 11}, 1, 0, 1));
}

TEST_CASE("Convolutions whose channels are last have the same bits, and pack no kernel", "[constants]") {
  const Program programs[] = {
      channelsLast("3x3", DType::F32, Shape{2, 13, 11, 16}, Shape{40, 3, 3, 16}, Shape{2, 13, 11, 40}),
      channelsLast("3x3 of f64", DType::F64, Shape{2, 13, 11, 16}, Shape{20, 3, 3, 16}, Shape{2, 13, 11, 20}),
      channelsLast("3x3 of f16", DType::F16, Shape{2, 13, 11, 16}, Shape{24, 3, 3, 16}, Shape{2, 13, 11, 24}),
      channelsLast("strided", DType::F32, Shape{2, 13, 11, 16}, Shape{33, 3, 3, 16}, Shape{2, 7, 6, 33}, 2),
      channelsLast("small images", DType::F32, Shape{16, 3, 3, 64}, Shape{64, 3, 3, 64}, Shape{16, 3, 3, 64}),
      channelsLast("groups", DType::F32, Shape{2, 13, 11, 16}, Shape{48, 3, 3, 8}, Shape{2, 13, 11, 48}, 1, 1, 2),
      channelsLast("depthwise", DType::F32, Shape{2, 13, 11, 40}, Shape{40, 3, 3, 1}, Shape{2, 13, 11, 40}, 1, 1, 40),
      channelsLast("dilated", DType::F32, Shape{2, 7, 6, 16}, Shape{24, 3, 3, 16}, Shape{2, 13, 11, 24}, 1, 1, 1, 2),
  };
  for (const Program &program : programs) {
    checkBits(program);
    core::Plan plan;
    resultsOf(program, Weights::Frozen, portableOptions(true), &plan);
    CAPTURE(program.name);
    CHECK(plan.derived.size() == 1);
  }
}

TEST_CASE("Weights that taps meet nowhere make NaN of sums, and 0 of -0", "[constants]") {
  const Program programs[] = {
      channelsLast("3x3", DType::F32, Shape{2, 13, 11, 16}, Shape{40, 3, 3, 16}, Shape{2, 13, 11, 40}),
      channelsLast("small images", DType::F32, Shape{16, 3, 3, 64}, Shape{64, 3, 3, 64}, Shape{16, 3, 3, 64}),
      channelsLast("dilated", DType::F32, Shape{2, 7, 6, 16}, Shape{24, 3, 3, 16}, Shape{2, 13, 11, 24}, 1, 1, 1, 2),
  };
  for (const Program &program : programs) {
    checkBits(withUnderflow(program));
    const Program special = withSpecials(program);
    CAPTURE(special.name);
    for (const compiler::CompileOptions &options : {portableOptions(true), hostOptions(true)}) {
      const Tensors expected = resultsOf(special, Weights::Changing, options);
      for (Weights weights : {Weights::Frozen, Weights::Constant}) {
        const Tensors results = resultsOf(special, weights, options);
        int64_t wrong = 0;
        for (int64_t i = 0; i < expected[0].numel(); ++i) {
          const float a = expected[0].data<float>()[i], b = results[0].data<float>()[i];
          wrong += std::isnan(a) != std::isnan(b) || (!std::isnan(a) && std::memcmp(&a, &b, 4) != 0);
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("Weights that loops and branches read have the same bits, and are packed in front of them", "[constants]") {
  for (const Program &program : {cell("no iteration", loopOf(0)), cell("three iterations", loopOf(3)),
                                 cell("a branch", kBranch), cell("a condition", kWhile)})
    checkBits(program);
  // What is frozen, or a constant, leaves nothing to be packed by the run; what is neither is packed once a weight.
  core::Plan plan;
  for (const std::string &around : {loopOf(3), kBranch, kWhile})
    for (Weights weights : {Weights::Frozen, Weights::Constant}) {
      resultsOf(cell("a cell", around), weights, portableOptions(true), &plan);
      CHECK(packs(plan) == 0);
      CHECK(plan.derived.size() == (weights == Weights::Frozen ? 2 : 0)); // also where two regions read the same
    }
  resultsOf(cell("a cell", loopOf(3)), Weights::Changing, portableOptions(true), &plan);
  CHECK(packs(plan) == 1); // the transposed one, which is computed in the loop, is read in place
}

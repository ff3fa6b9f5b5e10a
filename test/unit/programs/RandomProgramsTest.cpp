// Random programs: fused = unfused bit for bit, unfused = interpreter op by op within bounds, gradients = differences.
//
// BURN_FUZZ_PROGRAMS=N runs N programs, BURN_FUZZ_SEED=N begins with another one, BURN_FUZZ_PRINT=1 prints each program
// before it runs, for those that end the process.
#include "test/unit/programs/RandomPrograms.h"
#include "passes/Pipelines/Compile.h"
#include "test/unit/programs/Agreement.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace burn;
using namespace burn::test;

namespace {

uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The part of a failure that stays as a program shrinks.
std::string kindOf(const std::string &failure) { return failure.substr(0, std::min<size_t>(12, failure.size())); }

} // namespace

TEST_CASE("Random programs give the same bits fused and unfused, within the bounds of the interpreter") {
  const uint64_t first = fromEnvironment("BURN_FUZZ_SEED", 1), count = fromEnvironment("BURN_FUZZ_PROGRAMS", 120);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
    RandomProgram program = makeRandomProgram(*context, seed);
    const bool onHost = seed % 2 == 0;
    {
      const core::Status status = compiler::expandGradients(*program.module);
      INFO(status.message());
      REQUIRE(status);
    }
    if (fromEnvironment("BURN_FUZZ_PRINT", 0))
      std::fputs(textOf(*program.module).c_str(), stderr);
    const std::string failure = findFailure(*program.module, program.arguments, onHost);
    if (failure.empty())
      continue;
    std::string last = failure;
    RandomProgram reduced = reduceProgram(program, [&](mlir::ModuleOp module, const Tensors &arguments) {
      const std::string found = findFailure(module, arguments, onHost);
      if (kindOf(found) != kindOf(failure))
        return false;
      last = found;
      return true;
    });
    UNSCOPED_INFO("on " << (onHost ? "this processor" : "x86-64-v3") << ": " << last << "\n"
                        << textOf(*reduced.module));
    CHECK(failure.empty());
  }
}

TEST_CASE("Gradients of random smooth programs are the limits of differences") {
  const uint64_t first = fromEnvironment("BURN_FUZZ_SEED", 1), count = fromEnvironment("BURN_FUZZ_PROGRAMS", 300);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
    const RandomProgram program = makeSmoothProgram(*context, seed);
    INFO(textOf(*program.module));
    const auto valueAt = [&](const Tensors &arguments) {
      auto results = ir::interpret(functionOf(*program.module), arguments);
      REQUIRE(results);
      return (*results)[0].data<double>()[0];
    };

    if (!std::isfinite(valueAt(program.arguments)))
      continue; // the mean of no examples, say

    // The same program, which returns the gradients with respect to its arguments.
    mlir::OwningOpRef<mlir::ModuleOp> gradients = program.module.get().clone();
    mlir::func::FuncOp function = functionOf(*gradients);
    mlir::Operation *end = function.getBody().front().getTerminator();
    llvm::SmallVector<mlir::Value> wrt;
    std::vector<size_t> differentiated;
    for (mlir::BlockArgument argument : function.getArguments())
      if (typeOf(argument).dtype == DType::F64) {
        wrt.push_back(argument);
        differentiated.push_back(argument.getArgNumber());
      }
    if (wrt.empty())
      continue;
    mlir::OpBuilder builder(end);
    auto grad = ir::GradOp::create(builder, builder.getUnknownLoc(), mlir::TypeRange(mlir::ValueRange(wrt)),
                                   mlir::ValueRange(end->getOperand(0)), mlir::ValueRange(), wrt);
    end->setOperands(grad.getGradients());
    function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), end->getOperandTypes()));
    REQUIRE(compiler::expandGradients(*gradients));
    auto slopes = ir::interpret(function, program.arguments);
    REQUIRE(slopes);

    // Along a random direction, with the error of the second power of the step taken out.
    Random random(seed);
    Tensors directions;
    double expected = 0, magnitude = 0;
    for (size_t k = 0; k < differentiated.size(); ++k) {
      directions.push_back(randomTensor(program.arguments[differentiated[k]].type, Fill::Tame, random));
      const auto slope = (*slopes)[k].data<double>(), direction = directions.back().data<double>();
      for (size_t i = 0; i < slope.size(); ++i) {
        expected += slope[i] * direction[i];
        magnitude += std::fabs(slope[i] * direction[i]);
      }
    }
    const auto moved = [&](double step) {
      Tensors arguments = program.arguments;
      for (size_t k = 0; k < differentiated.size(); ++k) {
        auto values = arguments[differentiated[k]].data<double>();
        for (size_t i = 0; i < values.size(); ++i)
          values[i] += step * directions[k].data<double>()[i];
      }
      return valueAt(arguments);
    };
    const auto difference = [&](double step) { return (moved(step) - moved(-step)) / (2 * step); };
    const double h = 1e-4, wide = difference(2 * h), narrow = difference(h);
    const double actual = (4 * narrow - wide) / 3;
    const double noise = 1e-15 * std::fabs(valueAt(program.arguments)) / h;
    CAPTURE(expected, actual);
    CHECK(std::fabs(expected - actual) <= 1e-6 * magnitude + 1e-2 * std::fabs(wide - narrow) + 1e3 * noise + 1e-9);
  }
}

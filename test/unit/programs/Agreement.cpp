#include "test/unit/programs/Agreement.h"

#include "test/unit/programs/CompiledProgram.h"
#include "test/unit/programs/OpByOp.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::test;

namespace {

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

} // namespace

std::string test::findFailure(mlir::ModuleOp module, const Tensors &arguments, bool onHost) {
  const auto options = [&](bool fusion) { return onHost ? hostOptions(fusion) : portableOptions(fusion); };
  mlir::OwningOpRef<mlir::ModuleOp> everything = returnEverything(module);
  auto unfused = CompiledProgram::compile(*everything, options(false));
  if (!unfused)
    return "unfused: " + unfused.status().message();
  auto values = (*unfused)->run(arguments, Loops::Serial);
  if (!values)
    return "unfused: " + values.status().message();
  if (const auto lines = compareOpByOp(functionOf(module), arguments, *values); !lines.empty())
    return "outside of bounds: " + joined(lines);

  // What the program returns, as the unfused build computed it.
  mlir::Block &block = functionOf(module).getBody().front();
  Tensors expected;
  for (mlir::Value result : block.getTerminator()->getOperands()) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(result)) {
      expected.push_back(arguments[argument.getArgNumber()]);
      continue;
    }
    size_t position = mlir::cast<mlir::OpResult>(result).getResultNumber();
    for (mlir::Operation &op : block) {
      if (&op == result.getDefiningOp())
        break;
      position += op.getNumResults();
    }
    expected.push_back((*values)[position]);
  }
  auto fused = CompiledProgram::compile(module, options(true));
  if (!fused)
    return "fused: " + fused.status().message();
  for (Loops loops : {Loops::Serial, Loops::Threads, Loops::Backward}) {
    auto results = (*fused)->run(arguments, loops);
    if (!results)
      return "fused: " + results.status().message();
    if (const auto lines = compareBits(expected, *results); !lines.empty())
      return "fused differs from unfused, loops " + std::to_string(static_cast<int>(loops)) + ": " + joined(lines);
  }
  return "";
}

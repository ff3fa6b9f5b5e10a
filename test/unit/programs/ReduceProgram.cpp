#include "dialects/Burn/Interpreter/Interpreter.h"
#include "test/unit/programs/RandomPrograms.h"

#include <catch2/catch.hpp>
#include <map>

using namespace mlir;
using namespace burn;
using namespace burn::test;

namespace {

RandomProgram copyOf(const RandomProgram &program) { return {program.module.get().clone(), program.arguments}; }

// Removes what the results do not depend on.
void removeUnused(RandomProgram &program) {
  func::FuncOp function = functionOf(*program.module);
  Block &block = function.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  llvm::BitVector unused(block.getNumArguments());
  Tensors arguments;
  for (BlockArgument argument : block.getArguments()) {
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
    else
      arguments.push_back(program.arguments[argument.getArgNumber()]);
  }
  REQUIRE(succeeded(function.eraseArguments(unused)));
  program.arguments = std::move(arguments);
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}

// The results of all ops by their position in the program, as the interpreter gives them.
std::map<size_t, Tensors> valuesOf(const RandomProgram &program) {
  std::map<size_t, Tensors> values;
  ir::InterpreterOptions options;
  options.observer = [&](Operation *, std::span<const ir::HostTensor *const>,
                         std::span<const ir::HostTensor *const> results) {
    Tensors &tensors = values[values.size()];
    for (const ir::HostTensor *result : results)
      tensors.push_back(*result);
    return core::Status::ok();
  };
  auto run = ir::interpret(functionOf(*program.module), program.arguments, options);
  INFO((run ? std::string() : run.status().message()));
  REQUIRE(run);
  return values;
}

} // namespace

RandomProgram test::reduceProgram(const RandomProgram &program,
                                  llvm::function_ref<bool(ModuleOp, const Tensors &)> fails) {
  RandomProgram best = copyOf(program);
  const auto accept = [&](RandomProgram candidate) {
    removeUnused(candidate);
    if (!fails(*candidate.module, candidate.arguments))
      return false;
    best = std::move(candidate);
    return true;
  };
  // Results, one by one.
  for (unsigned i = functionOf(*best.module).getNumResults(); i-- > 0;) {
    RandomProgram candidate = copyOf(best);
    Operation *end = functionOf(*candidate.module).getBody().front().getTerminator();
    if (end->getNumOperands() == 1)
      break;
    end->eraseOperand(i);
    functionOf(*candidate.module)
        .setType(FunctionType::get(end->getContext(), functionOf(*candidate.module).getArgumentTypes(),
                                   end->getOperandTypes()));
    accept(std::move(candidate));
  }
  // Ops, from the first one on: each becomes arguments, where the failure does not need it.
  for (size_t position = 0;;) {
    RandomProgram candidate = copyOf(best);
    const std::map<size_t, Tensors> values = valuesOf(best);
    Block &block = functionOf(*candidate.module).getBody().front();
    if (position + 1 >= block.getOperations().size())
      break;
    Operation &op = *std::next(block.begin(), static_cast<int64_t>(position));
    func::FuncOp function = functionOf(*candidate.module);
    for (auto [result, value] : llvm::zip_equal(op.getResults(), values.at(position))) {
      const unsigned number = function.getNumArguments();
      REQUIRE(succeeded(function.insertArgument(number, result.getType(), {}, op.getLoc())));
      result.replaceAllUsesWith(function.getArgument(number));
      candidate.arguments.push_back(value);
    }
    if (!accept(std::move(candidate)))
      ++position;
  }
  return best;
}

#include "tools/burn-fuzz/Reduce.h"

#include "dialects/Burn/Interpreter/Interpreter.h"

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

namespace {

void updateType(func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}

// Removes what the results do not depend on.
void removeUnused(Program &program) {
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
  if (failed(function.eraseArguments(unused)))
    return;
  program.arguments = std::move(arguments);
  updateType(function);
}

// The results of all ops of a program, as the interpreter gives them; none where it fails.
llvm::DenseMap<Operation *, Tensors> valuesOf(const Program &program) {
  llvm::DenseMap<Operation *, Tensors> values;
  ir::InterpreterOptions options;
  options.observer = [&](Operation *op, std::span<const ir::HostTensor *const>,
                         std::span<const ir::HostTensor *const> results) {
    Tensors &tensors = values[op];
    tensors.clear();
    for (const ir::HostTensor *result : results)
      tensors.push_back(*result);
    return core::Status::ok();
  };
  (void)ir::interpret(functionOf(*program.module), program.arguments, options).isOk();
  return values;
}

Operation *opAt(const Program &program, size_t position) {
  Block &block = functionOf(*program.module).getBody().front();
  if (position + 1 >= block.getOperations().size())
    return nullptr;
  return &*std::next(block.begin(), static_cast<int64_t>(position));
}

class Reducer {
public:
  Reducer(const Program &program, llvm::function_ref<bool(const Program &)> fails)
      : best(program.clone()), fails(fails) {}

  Program run() {
    // What one step makes superfluous another one finds.
    for (bool changed = true; changed;) {
      leaveOutResults();
      changed = cutOps();
      changed |= passOn();
      changed |= returnOperands();
    }
    return std::move(best);
  }

private:
  bool accept(Program candidate) {
    removeUnused(candidate);
    if (!fails(candidate))
      return false;
    best = std::move(candidate);
    return true;
  }

  void leaveOutResults() {
    for (unsigned i = functionOf(*best.module).getNumResults(); i-- > 0;) {
      Program candidate = best.clone();
      func::FuncOp function = functionOf(*candidate.module);
      Operation *end = function.getBody().front().getTerminator();
      if (end->getNumOperands() == 1)
        break;
      if (i >= end->getNumOperands())
        continue;
      end->eraseOperand(i);
      updateType(function);
      accept(std::move(candidate));
    }
  }

  // Ops, from the first one on, become arguments.
  bool cutOps() {
    bool changed = false;
    for (size_t position = 0; Operation *original = opAt(best, position);) {
      const llvm::DenseMap<Operation *, Tensors> values = valuesOf(best);
      const auto found = values.find(original);
      if (found == values.end()) {
        ++position;
        continue;
      }
      Program candidate = best.clone();
      Operation *op = opAt(candidate, position);
      func::FuncOp function = functionOf(*candidate.module);
      for (auto [result, value] : llvm::zip_equal(op->getResults(), found->second)) {
        const unsigned number = function.getNumArguments();
        if (failed(function.insertArgument(number, result.getType(), {}, op->getLoc())))
          return changed;
        result.replaceAllUsesWith(function.getArgument(number));
        candidate.arguments.push_back(value);
      }
      if (accept(std::move(candidate)))
        changed = true;
      else
        ++position;
    }
    return changed;
  }

  // Ops give way to an operand of their type.
  bool passOn() {
    bool changed = false;
    for (size_t position = 0; Operation *original = opAt(best, position);) {
      bool accepted = false;
      for (unsigned k = 0; k < original->getNumOperands() && !accepted; ++k) {
        if (original->getNumResults() != 1 || original->getOperand(k).getType() != original->getResult(0).getType())
          continue;
        Program candidate = best.clone();
        Operation *op = opAt(candidate, position);
        op->getResult(0).replaceAllUsesWith(op->getOperand(k));
        accepted = accept(std::move(candidate));
      }
      changed |= accepted;
      position += !accepted;
    }
    return changed;
  }

  // The operands of the op behind the first result take its place.
  bool returnOperands() {
    bool changed = false;
    while (Operation *original =
               functionOf(*best.module).getBody().front().getTerminator()->getOperand(0).getDefiningOp()) {
      if (original->getNumOperands() == 0)
        break;
      Program candidate = best.clone();
      func::FuncOp function = functionOf(*candidate.module);
      Operation *end = function.getBody().front().getTerminator();
      SmallVector<Value> results(end->getOperand(0).getDefiningOp()->getOperands());
      llvm::append_range(results, llvm::drop_begin(end->getOperands()));
      end->setOperands(results);
      updateType(function);
      if (!accept(std::move(candidate)))
        break;
      changed = true;
    }
    return changed;
  }

  Program best;
  llvm::function_ref<bool(const Program &)> fails;
};

} // namespace

Program fuzz::reduceProgram(const Program &program, llvm::function_ref<bool(const Program &)> fails) {
  return Reducer(program, fails).run();
}

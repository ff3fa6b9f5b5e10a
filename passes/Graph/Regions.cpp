#include "passes/Graph/Regions.h"

#include "passes/Graph/Accesses.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// The operands that every region of a branch or loop takes behind the values that change.
struct Invariants {
  MutableOperandRange operands;
  unsigned firstArgument;
};

std::optional<Invariants> invariantsOf(Operation *op) {
  if (auto branch = dyn_cast_or_null<ir::IfOp>(op))
    return Invariants{branch.getInputsMutable(), 0};
  if (auto loop = dyn_cast_or_null<ir::ForOp>(op))
    return Invariants{loop.getInvariantsMutable(), 1 + loop.getNumResults()};
  if (auto loop = dyn_cast_or_null<ir::WhileOp>(op))
    return Invariants{loop.getInvariantsMutable(), loop.getNumResults()};
  return std::nullopt;
}

} // namespace

Value compiler::invariantSource(BlockArgument argument) {
  const std::optional<Invariants> invariants = invariantsOf(argument.getOwner()->getParentOp());
  if (!invariants || argument.getArgNumber() < invariants->firstArgument)
    return nullptr;
  return invariants->operands[argument.getArgNumber() - invariants->firstArgument].get();
}

Value compiler::outermost(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    Value source = invariantSource(argument);
    if (!source)
      break;
    value = source;
  }
  return value;
}

Value compiler::outermostBuffer(Value value) {
  for (Value source; (source = outermost(bufferOf(value))) != value;)
    value = source;
  return value;
}

Value compiler::passInto(Value value, Block *block) {
  if (value.getParentBlock() == block)
    return value;
  Operation *op = block->getParentOp();
  Value outside = passInto(value, op->getBlock());
  std::optional<Invariants> invariants = invariantsOf(op);
  unsigned number = 0;
  for (; number < invariants->operands.size(); ++number)
    if (invariants->operands[number].get() == outside)
      break;
  if (number == invariants->operands.size()) {
    invariants->operands.append(outside);
    for (Region &region : op->getRegions())
      region.addArgument(outside.getType(), outside.getLoc());
  }
  return block->getArgument(invariants->firstArgument + number);
}

void compiler::dropUnusedInvariants(func::FuncOp func) {
  // Inner ones first: what they do not need may be what outer ones do not.
  func.walk<WalkOrder::PostOrder>([](Operation *op) {
    std::optional<Invariants> invariants = invariantsOf(op);
    if (!invariants)
      return;
    for (unsigned i = invariants->operands.size(); i-- > 0;) {
      const unsigned argument = invariants->firstArgument + i;
      if (!llvm::all_of(op->getRegions(), [&](Region &region) { return region.getArgument(argument).use_empty(); }))
        continue;
      for (Region &region : op->getRegions())
        region.eraseArgument(argument);
      invariants->operands.erase(i);
    }
  });
}

#include "passes/Autodiff/Activity.h"

using namespace mlir;
using namespace burn::compiler;

bool burn::compiler::hasCotangent(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

Activity::Activity(ir::GradOp grad) {
  varied.insert(grad.getWrt().begin(), grad.getWrt().end());
  for (Operation &op : llvm::make_range(grad->getBlock()->begin(), grad->getIterator())) {
    if (variedOperands(&op).none())
      continue;
    for (Value result : op.getResults())
      if (hasCotangent(result))
        varied.insert(result);
  }
}

llvm::SmallBitVector Activity::variedOperands(Operation *op) const {
  llvm::SmallBitVector operands(op->getNumOperands());
  // An op without a rule counts as dependent: should a gradient arrive there, it is an error.
  auto rule = dyn_cast<ir::DifferentiableOpInterface>(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (varied.contains(operand) && (!rule || rule.isDifferentiableOperand(i)))
      operands.set(i);
  return operands;
}

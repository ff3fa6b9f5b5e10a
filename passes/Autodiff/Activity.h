// Which values a gradient has to flow through.
#pragma once

#include "dialects/Burn/Burn.h"

#include "llvm/ADT/DenseSet.h"

namespace burn::compiler {

/// Whether a value has a cotangent at all: float tensors do.
bool hasCotangent(mlir::Value value);

/// The values in front of one burn.grad that depend on its `wrt` values in a differentiable way.
class Activity {
public:
  explicit Activity(ir::GradOp grad);

  bool isVaried(mlir::Value value) const { return varied.contains(value); }

  /// The operands of an op that are varied and whose change the op's results follow.
  llvm::SmallBitVector variedOperands(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Value> varied;
};

} // namespace burn::compiler

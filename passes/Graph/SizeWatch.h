// Looks at what decompositions and derivatives build.
#pragma once

#include "dialects/Burn/AnySize.h"

#include "mlir/IR/Builders.h"

namespace burn::compiler {

/// Notes the first value built that has more elements than a tensor can. A builder has no way to fail, so whoever asked
/// for the ops looks here afterwards.
class SizeWatch : public mlir::OpBuilder::Listener {
public:
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override {
    for (mlir::Type type : op->getResultTypes())
      if (auto desc = ir::toTypeDescOfAnySize(type); !tooLarge_ && desc && !desc->shape.fits())
        tooLarge_ = type;
  }

  /// Emits an error at `op` where there was one: what was built stands for it.
  llvm::LogicalResult check(mlir::Operation *op) const {
    if (!tooLarge_)
      return llvm::success();
    return op->emitOpError("is computed by way of ") << tooLarge_ << ", which is too large";
  }

private:
  mlir::Type tooLarge_;
};

} // namespace burn::compiler

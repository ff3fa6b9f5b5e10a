// The cotangents of values while a reverse sweep collects them.
#pragma once

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace burn::compiler {

/// Contributions to the cotangent of each value. A value without any has the symbolic zero, which is
/// a null value.
class CotangentMap {
public:
  /// Adds the cotangent that the use of `value` as an operand gives; null adds nothing. `consumer` is
  /// the position of the using op in the program.
  void add(mlir::Value value, unsigned consumer, unsigned operand, mlir::Value cotangent);

  /// The sum of the contributions to `value` in program order of its uses, emitted at the first call.
  /// Nothing may be added afterwards.
  mlir::Value total(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

private:
  struct Contribution {
    unsigned consumer, operand;
    mlir::Value cotangent;
  };
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Contribution, 2>> contributions;
};

} // namespace burn::compiler

// The combiner of a reduction in code: accumulator kind, identity, and one step.
#pragma once

#include "dialects/Burn/ScalarPayloads.h"

namespace burn::compiler {

/// The reduction that a scan carries.
ir::ReduceKind combinerOf(ir::ScanKind kind);

/// Combines elements of one kind; f16 and bf16 are accumulated in f32.
class Reduction {
public:
  Reduction(ir::ReduceKind kind, mlir::Type burnElementType);

  const ir::ScalarKind &getElement() const { return element; }
  const ir::ScalarKind &getAccumulator() const { return accumulator; }

  /// The value without elements, as a scalar or vector over the accumulator's type.
  mlir::Value identity(mlir::OpBuilder &b, mlir::Location loc, mlir::Type shapedLike) const;
  /// An element as an accumulator, and back.
  mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) const;
  mlir::Value narrow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) const;
  /// The two combined, `lhs` standing before `rhs`.
  mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs) const;

private:
  ir::ReduceKind kind;
  ir::ScalarKind element, accumulator;
};

} // namespace burn::compiler

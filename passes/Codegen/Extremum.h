// Comparison of candidates for the place of an extremum.
#pragma once

#include "dialects/Burn/ScalarPayloads.h"

namespace burn::compiler {

/// Finds the first extremum: the first NaN wins over everything.
struct ExtremumSearch {
  ir::ScalarKind kind;
  bool isMax;

  ExtremumSearch(ir::ExtremumKind extremum, mlir::Type burnElementType)
      : kind(ir::ScalarKind::get(burnElementType)), isMax(extremum == ir::ExtremumKind::Max) {}

  /// Whether `candidate`, standing later, replaces `best`.
  mlir::Value replaces(mlir::OpBuilder &b, mlir::Location loc, mlir::Value best, mlir::Value candidate) const;
  /// Whether both are as good as one another: equal, or both NaN.
  mlir::Value ties(mlir::OpBuilder &b, mlir::Location loc, mlir::Value best, mlir::Value candidate) const;
};

} // namespace burn::compiler

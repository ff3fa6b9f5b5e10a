// Simplification of index expressions whose variables have known ranges.
#pragma once

#include "mlir/IR/AffineExpr.h"

#include <optional>

namespace burn::compiler {

/// The least and the greatest value of `expr` where dim i lies in [0, sizes[i]). Every size must be
/// at least 1. Overestimates where a dim occurs several times.
std::pair<int64_t, int64_t> indexRange(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> sizes);

/// An equal expression in which divisions and remainders have vanished where the ranges of the
/// dims allow: what a reshape and its inverse leave behind is the identity again.
mlir::AffineExpr simplifyIndex(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> sizes);

/// The coefficient of dim `dim`, where `expr` is affine in it (no division or remainder of it).
std::optional<int64_t> coefficientOf(mlir::AffineExpr expr, unsigned dim);

} // namespace burn::compiler

// Where the slices of a gather or scatter stand.
#pragma once

#include "passes/Codegen/KernelLoops.h"

namespace burn::compiler {

/// The dimension numbers that gather and scatter share, under gather's names. `sliced` is the shape of
/// a gather's result or of a scatter's updates.
struct SliceNumbers {
  llvm::ArrayRef<int64_t> operand, indices, sliced;
  llvm::ArrayRef<int64_t> offsetDims, collapsedDims, operandBatchDims, indicesBatchDims, startIndexMap;
  int64_t indexVectorDim;
  /// Per operand dim.
  llvm::SmallVector<int64_t> sizes;

  bool isOffset(int64_t slicedDim) const { return llvm::is_contained(offsetDims, slicedDim); }
  bool isCollapsed(int64_t operandDim) const {
    return llvm::is_contained(collapsedDims, operandDim) || llvm::is_contained(operandBatchDims, operandDim);
  }
  /// The dim of the operand that an offset dim runs along.
  int64_t operandDimOf(int64_t offsetDim) const;
  /// The greatest start along component `k` of the index vector.
  int64_t greatestStart(unsigned k) const { return operand[startIndexMap[k]] - sizes[startIndexMap[k]]; }

  /// Index into the index tensor of component `k`, for an element of the sliced tensor.
  ElementIndex startIndex(llvm::ArrayRef<mlir::AffineExpr> index, unsigned k, mlir::MLIRContext *context) const;
  /// The operand index of the element relative to the start of its slice.
  ElementIndex offset(llvm::ArrayRef<mlir::AffineExpr> index, mlir::MLIRContext *context) const;
};

/// An element of an index tensor as i64: unsigned values that do not fit become negative.
mlir::Value toIndex64(mlir::OpBuilder &b, mlir::Location loc, mlir::Value element, mlir::Type burnElementType);

/// Stores 1 into the error cell (the first check of the kernel) where `broken` holds.
void reportBroken(mlir::OpBuilder &b, mlir::Location loc, mlir::Value broken, mlir::Value error);

} // namespace burn::compiler

// Reductions whose operand lies in memory in another order than that in which its elements are combined.
#pragma once

#include "dialects/Burn/Burn.h"

#include <optional>

namespace burn::compiler {

/// A reduction of a transposed tensor, over the tensor as it lies. The transposed shape alone says in which order
/// elements are combined (RowStrategy), so the bits are those of a reduction of a transposed copy.
struct TurnedReduction {
  /// What is transposed.
  mlir::Value source;
  /// The dims of `source` that are reduced, ascending.
  llvm::SmallVector<int64_t> reduceDims;
  /// The dims of `source` in the order of the reduction's operand.
  llvm::SmallVector<int64_t> walk;
};

/// Name of the attribute of a row cluster over a domain whose reductions walk it in another order: its dims in that
/// order.
inline constexpr llvm::StringLiteral walkAttrName = "walk";

/// The shape of a tensor of `shape` with its dims in the order `walk`.
llvm::SmallVector<int64_t> walkedShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> walk);

/// Dims of a tensor by their places in the order `walk`, ascending.
llvm::SmallVector<int64_t> walkedDims(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> walk);

/// The dims of `shape` that lanes of the accumulators go along (RowStrategy), in a reduction over `reduceDims` that
/// walks in the order `walk`: empty where no kernel walks so. One does where vectors can go along the last dim, which
/// is kept; where each result takes all of its elements in one chain of each lane; and where the dims of lanes are
/// neighbours.
llvm::SmallVector<int64_t> turnedLaneDims(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> reduceDims,
                                          llvm::ArrayRef<int64_t> walk);

/// That of a reduction whose operand is a transposition, where a kernel can compute it so.
std::optional<TurnedReduction> turnedReductionOf(ir::ReduceOp op);

} // namespace burn::compiler

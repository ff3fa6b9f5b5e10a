// Which elements an interpolation reads along one dimension, and with which weights; not for others.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>
#include <vector>

namespace burn::ir::composite {

/// Neighbours of each result element of one dimension. Nearest elements have no weights.
struct ResampleTaps {
  std::vector<std::vector<int64_t>> index; // [tap][result element]
  std::vector<std::vector<double>> weight;

  /// Whether each result element is the source element at its own place.
  bool isIdentity(int64_t source) const;
};

/// Longer dimensions have their taps computed by the program: tables would be as long as its data, or longer.
constexpr int64_t kLongestTable = 1 << 14;

/// The taps of dimension `dim` of those that the op resamples; `source` is its size in the operand.
ResampleTaps resampleTaps(InterpolateOp op, unsigned dim, int64_t source);

/// Taps as values of one dimension: indices in i64, and weights.
struct TapValues {
  llvm::SmallVector<mlir::Value> index, weight;
};

/// The same taps as ops, with weights of type `element`; none where products of both sizes do not fit into i64.
std::optional<TapValues> computedTaps(mlir::ImplicitLocOpBuilder &b, InterpolateOp op, unsigned dim, int64_t source,
                                      mlir::Type element);

} // namespace burn::ir::composite

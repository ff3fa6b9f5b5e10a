// Index values as sums of multiples of others.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace burn::compiler {

/// A constant and multiples of values that are no sums themselves. What two indices have in common is gone from their
/// difference.
struct LinearIndex {
  int64_t constant = 0;
  llvm::SmallMapVector<mlir::Value, int64_t, 4> terms;

  LinearIndex() = default;
  explicit LinearIndex(mlir::Value value) { add(value, 1); }

  void add(mlir::Value value, int64_t factor);

  /// With `other` for one of the values.
  LinearIndex replaced(mlir::Value value, mlir::Value other) const;
};

std::optional<int64_t> constantOf(mlir::Value value);

} // namespace burn::compiler

// Which dimensions of an op's tensors are the same, for passes that change layouts.
#pragma once

#include "dialects/Burn/Burn.h"

#include <numeric>
#include <optional>

namespace burn::compiler {

using DimOrder = llvm::SmallVector<int64_t, 6>;

/// The dims of a tensor, in the order in which they stand in memory. Empty: as they are.
using TensorOrder = DimOrder;

/// The loops of an op that works the same in any order of its dims: for each operand, then each result, the loop that
/// each of its dims walks.
struct OpDims {
  llvm::SmallVector<DimOrder, 4> tensors;
  int64_t loops = 0;
};

/// That of an op, or nullopt where its meaning depends on the order of dims.
std::optional<OpDims> dimsOf(mlir::Operation *op);

/// Whether an op adds up or multiplies floats, in the order of its dims: other orders give other bits.
bool isOrderedSum(mlir::Operation *op);

/// The order of a tensor whose dims walk `dims`, where loops stand in `order`.
TensorOrder orderOf(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> order);

/// The order of the result of a reshape of a tensor in `order`, or nullopt where dims that it joins or splits do not
/// stay neighbours.
std::optional<TensorOrder> throughReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                                          llvm::ArrayRef<int64_t> order);

/// Whether an op that has OpDims keeps its meaning, to the bit, when loops stand in `order`.
bool allowsOrder(mlir::Operation *op, llvm::ArrayRef<int64_t> order);

/// Creates the op on operands and for results in these orders.
mlir::Operation *reorder(mlir::OpBuilder &b, mlir::Operation *op, const OpDims &dims, mlir::ValueRange operands,
                         llvm::ArrayRef<int64_t> order);

inline bool isIdentity(llvm::ArrayRef<int64_t> order) {
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != int64_t(i))
      return false;
  return true;
}

/// 0, 1, ..., count - 1.
inline DimOrder counting(int64_t count) {
  DimOrder dims(count);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }

/// A type with its dims in another order.
mlir::RankedTensorType reordered(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

/// places[dim] is where a dim stands in an order.
DimOrder placesOf(llvm::ArrayRef<int64_t> order);

} // namespace burn::compiler

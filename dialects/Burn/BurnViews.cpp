// Index maps of the ops that only move data.
#include "dialects/Burn/Burn.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

namespace {

using Index = ArrayRef<AffineExpr>;
using Reads = SmallVector<IndexedRead>;

AffineExpr constant(int64_t value, MLIRContext *context) { return getAffineConstantExpr(value, context); }

IndexedRead read(unsigned operand, SmallVector<AffineExpr> index) {
  IndexedRead result;
  result.operand = operand;
  result.index = std::move(index);
  return result;
}

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

// Conditions for `index` to lie in [0, size); parts that always hold are left out by callers' folding.
void requireWithin(IndexedRead &read, AffineExpr index, int64_t size) {
  read.nonNegative.push_back(index);
  read.nonNegative.push_back(size - 1 - index);
}

} // namespace

Reads BroadcastOp::getReads(Index index) {
  SmallVector<AffineExpr> source;
  for (auto [i, size] : llvm::enumerate(shapeOf(getInput())))
    source.push_back(size == 1 ? constant(0, getContext()) : index[getDims()[i]]);
  return {read(0, std::move(source))};
}

Reads ReshapeOp::getReads(Index index) {
  const ArrayRef<int64_t> shape = shapeOf(getInput()), result = shapeOf(getResult());
  SmallVector<AffineExpr> source(shape.size(), constant(0, getContext()));
  if (llvm::is_contained(shape, 0)) // no element is ever read
    return {read(0, std::move(source))};
  // Groups of neighbouring dims that hold as many elements on both sides, the last one first: the row-major position in
  // a group, then its digits in the operand's dims.
  for (int64_t to = result.size(), from = shape.size(); to > 0 || from > 0;) {
    const int64_t toEnd = to, fromEnd = from;
    int64_t toCount = 1, fromCount = 1;
    do {
      if (to > 0 && (toCount <= fromCount || from == 0))
        toCount *= result[--to];
      else
        fromCount *= shape[--from];
    } while (toCount != fromCount);
    AffineExpr position = constant(0, getContext());
    for (int64_t dim = to; dim < toEnd; ++dim)
      position = position * result[dim] + index[dim];
    int64_t stride = 1;
    for (int64_t dim = fromEnd - 1; dim >= from; --dim) {
      AffineExpr digit = position.floorDiv(stride);
      if (shape[dim] != 1)
        source[dim] = stride * shape[dim] == fromCount ? digit : digit % shape[dim];
      stride *= shape[dim];
    }
  }
  return {read(0, std::move(source))};
}

Reads TransposeOp::getReads(Index index) {
  SmallVector<AffineExpr> source(index.size());
  for (auto [i, dim] : llvm::enumerate(getPerm()))
    source[dim] = index[i];
  return {read(0, std::move(source))};
}

Reads SliceOp::getReads(Index index) {
  SmallVector<AffineExpr> source;
  for (auto [expr, start, stride] : llvm::zip_equal(index, getStarts(), getStrides()))
    source.push_back(expr * stride + start);
  return {read(0, std::move(source))};
}

Reads SliceUpdateOp::getReads(Index index) {
  IndexedRead update = read(1, {});
  for (auto [expr, start, size] : llvm::zip_equal(index, getStarts(), shapeOf(getUpdate()))) {
    update.index.push_back(expr - start);
    requireWithin(update, expr - start, size);
  }
  return {std::move(update), read(0, SmallVector<AffineExpr>(index))};
}

Reads PadOp::getReads(Index index) {
  IndexedRead inner = read(0, {});
  for (auto [i, expr] : llvm::enumerate(index)) {
    const int64_t step = getInterior()[i] + 1;
    AffineExpr shifted = expr - getLow()[i];
    if (step > 1)
      inner.zero.push_back(shifted % step);
    AffineExpr source = shifted.floorDiv(step);
    inner.index.push_back(source);
    requireWithin(inner, source, shapeOf(getInput())[i]);
  }
  return {std::move(inner), read(1, {})};
}

Reads ConcatOp::getReads(Index index) {
  Reads reads;
  const int64_t axis = getAxis();
  int64_t offset = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    IndexedRead part = read(i, SmallVector<AffineExpr>(index));
    part.index[axis] = index[axis] - offset;
    offset += shapeOf(input)[axis];
    // Operands are tried in order: an index beyond the earlier ones needs an upper bound only.
    if (i + 1 < getInputs().size())
      part.nonNegative.push_back(offset - 1 - index[axis]);
    reads.push_back(std::move(part));
  }
  return reads;
}

Reads ReverseOp::getReads(Index index) {
  SmallVector<AffineExpr> source(index);
  for (int64_t dim : getDims())
    source[dim] = shapeOf(getInput())[dim] - 1 - index[dim];
  return {read(0, std::move(source))};
}

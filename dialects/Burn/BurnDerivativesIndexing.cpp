// Reverse-mode rules of ops whose reads or writes depend on index operands.
#include "dialects/Burn/Derivatives.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

namespace {

/// Gather's indices with every start moved inside its operand: what `clip` reads, and where its
/// cotangents go (scatter leaves out what is outside).
Value clippedIndices(ImplicitLocOpBuilder &b, GatherOp op) {
  Value indices = op.getIndices();
  RankedTensorType type = typeOf(indices);
  auto element = cast<IntegerType>(type.getElementType());
  const unsigned width = element.getWidth();
  SmallVector<APInt> last;
  for (int64_t dim : op.getStartIndexMap()) {
    const uint64_t start = shapeOf(op.getInput())[dim] - op.getSliceSizes()[dim];
    // No index of a narrow type lies beyond its own largest value.
    APInt most = element.isUnsigned() ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
    last.push_back(most.ult(start) ? most : APInt(width, start));
  }
  const int64_t vectorDim = op.getIndexVectorDim();
  auto vectorType = RankedTensorType::get({static_cast<int64_t>(last.size())}, element);
  Value limits = ConstantOp::create(b, vectorType, DenseElementsAttr::get(vectorType, last));
  limits = vectorDim == type.getRank() ? broadcast(b, reshape(b, limits, {}), type.getShape(), {})
                                       : broadcast(b, limits, type.getShape(), {vectorDim});
  return ClampOp::create(b, indices, zeros(b, indices), limits);
}

/// A scatter with the numbers of a gather.
Value scatterLike(ImplicitLocOpBuilder &b, GatherOp op, ScatterCombiner combiner, IndexMode mode, Value input,
                  Value indices, Value updates) {
  return ScatterOp::create(b, input, indices, updates, op.getOffsetDims(), op.getCollapsedSliceDims(),
                           op.getOperandBatchingDims(), op.getStartIndicesBatchingDims(), op.getStartIndexMap(),
                           op.getIndexVectorDim(), combiner, mode);
}

/// Gather and scatter with the numbers of a scatter.
struct SameNumbers {
  ImplicitLocOpBuilder &b;
  ScatterOp op;

  /// What stands where the updates went; 0 for updates that were left out.
  Value gather(Value from) {
    ArrayRef<int64_t> inserted = op.getInsertedWindowDims(), batching = op.getInputBatchingDims();
    DimVector sizes;
    size_t window = 0;
    for (int64_t dim : range(0, shapeOf(op.getInput()).size()))
      sizes.push_back(llvm::is_contained(inserted, dim) || llvm::is_contained(batching, dim)
                          ? 1
                          : shapeOf(op.getUpdates())[op.getUpdateWindowDims()[window++]]);
    const IndexMode mode = op.getMode() == IndexMode::Clip ? IndexMode::Fill : op.getMode();
    return GatherOp::create(b, from, op.getIndices(), op.getUpdateWindowDims(), inserted, batching,
                            op.getScatterIndicesBatchingDims(), op.getScatterDimsToOperandDims(),
                            op.getIndexVectorDim(), sizes, mode);
  }

  Value scatter(ScatterCombiner combiner, Value into, Value updates) {
    return ScatterOp::create(b, into, op.getIndices(), updates, op.getUpdateWindowDims(), op.getInsertedWindowDims(),
                             op.getInputBatchingDims(), op.getScatterIndicesBatchingDims(),
                             op.getScatterDimsToOperandDims(), op.getIndexVectorDim(), combiner, op.getMode());
  }

  /// The row-major number of each update element, and a tensor like the operand with one number everywhere.
  Value ordinals() {
    Dims shape = shapeOf(op.getUpdates());
    return reshape(b, iota(b, {typeOf(op.getUpdates()).getNumElements()}, 0), shape);
  }
  Value everywhere(double number) {
    return splat(b, RankedTensorType::get(shapeOf(op.getInput()), b.getI64Type()), number);
  }
};

// An element keeps the last update that was assigned to it.
void buildAssignVjp(SameNumbers &numbers, Value ct, Needed needed, Slots slots) {
  ImplicitLocOpBuilder &b = numbers.b;
  Value none = zeros(b, numbers.op.getUpdates());
  if (needed[0])
    slots[0] = numbers.scatter(ScatterCombiner::Assign, ct, none);
  if (needed[2]) {
    Value ordinals = numbers.ordinals();
    Value winners = numbers.scatter(ScatterCombiner::Assign, numbers.everywhere(-1.0), ordinals);
    Value won = compare(b, CompareDirection::EQ, numbers.gather(winners), ordinals);
    slots[2] = select(b, won, numbers.gather(ct), none);
  }
}

// The cotangent of an update is that of its element times the operand and all other updates there.
// With exactly one zero among these updates only the zero's own cotangent differs from 0.
void buildMulVjp(SameNumbers &numbers, Value ct, Needed needed, Slots slots) {
  using enum CompareDirection;
  ImplicitLocOpBuilder &b = numbers.b;
  Value updates = numbers.op.getUpdates(), input = numbers.op.getInput();
  Value zero = zeros(b, updates), one = splat(b, updates, 1.0);
  if (needed[0])
    slots[0] = numbers.scatter(ScatterCombiner::Mul, ct, updates);
  if (needed[2]) {
    Value isZero = compare(b, EQ, updates, zero), nonzero = select(b, isZero, one, updates);
    Value count = ConvertOp::create(b, RankedTensorType::get(shapeOf(updates), b.getI64Type()), isZero);
    Value zerosThere = numbers.gather(numbers.scatter(ScatterCombiner::Add, numbers.everywhere(0.0), count));
    Value product = numbers.gather(mul(b, ct, numbers.scatter(ScatterCombiner::Mul, input, nonzero)));
    Value noOtherZero = compare(b, EQ, zerosThere, count);
    slots[2] = select(b, noOtherZero, div(b, product, nonzero), zero);
  }
}

// The cotangent goes to the operand where it is the extremum, else to the first update that is.
void buildExtremumVjp(SameNumbers &numbers, Value ct, Needed needed, Slots slots) {
  using enum CompareDirection;
  ImplicitLocOpBuilder &b = numbers.b;
  ScatterOp op = numbers.op;
  Value kept = compare(b, EQ, op.getResult(), op.getInput());
  if (needed[0])
    slots[0] = select(b, kept, ct, zeros(b, ct));
  if (needed[2]) {
    Value updates = op.getUpdates(), ordinals = numbers.ordinals(), none = zeros(b, updates);
    Value given = select(b, kept, zeros(b, ct), ct);
    Value candidate = compare(b, EQ, numbers.gather(op.getResult()), updates);
    const double count = typeOf(updates).getNumElements();
    Value first = numbers.scatter(ScatterCombiner::Min, numbers.everywhere(count),
                                  select(b, candidate, ordinals, splat(b, ordinals, count)));
    Value won = AndOp::create(b, candidate, compare(b, EQ, numbers.gather(first), ordinals));
    slots[2] = select(b, won, numbers.gather(given), none);
  }
}

} // namespace

LogicalResult GatherOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const bool clip = getMode() == IndexMode::Clip;
  slots[0] = scatterLike(b, *this, ScatterCombiner::Add, clip ? IndexMode::AssumeValid : getMode(),
                         zeros(b, getInput()), clip ? clippedIndices(b, *this) : getIndices(), cts[0]);
  return success();
}

LogicalResult ScatterOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  SameNumbers numbers{b, *this};
  switch (getCombiner()) {
  case ScatterCombiner::Assign:
    buildAssignVjp(numbers, cts[0], needed, slots);
    break;
  case ScatterCombiner::Add:
    slots[0] = cts[0];
    if (needed[2])
      slots[2] = numbers.gather(cts[0]);
    break;
  case ScatterCombiner::Mul:
    buildMulVjp(numbers, cts[0], needed, slots);
    break;
  case ScatterCombiner::Max:
  case ScatterCombiner::Min:
    buildExtremumVjp(numbers, cts[0], needed, slots);
    break;
  }
  return success();
}

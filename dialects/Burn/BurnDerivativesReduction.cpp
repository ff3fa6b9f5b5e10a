// Reverse-mode rules of reductions over whole dimensions.
#include "dialects/Burn/Derivatives.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

// `ct` at the index along `axis` of `shape`, 0 elsewhere.
static Value placeAtIndex(ImplicitLocOpBuilder &b, Value ct, Value index, Dims shape, int64_t axis) {
  Value spread = broadcastAlong(b, ct, shape, {axis});
  Value hit = compare(b, CompareDirection::EQ, iota(b, shape, axis), broadcastAlong(b, index, shape, {axis}));
  return select(b, hit, spread, zeros(b, spread));
}

LogicalResult ReduceOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Dims shape = shapeOf(getInput());
  if (getKind() == ReduceKind::Sum) {
    slots[0] = broadcastAlong(b, cts[0], shape, getDims());
    return success();
  }
  if (typeOf(getInput()).getNumElements() == 0)
    return success();
  JoinedDims dims(shape, getDims());
  Value x = dims.join(b, getInput());
  const int64_t axis = shapeOf(x).size() - 1;
  if (getKind() == ReduceKind::Prod) {
    Value spread = broadcastAlong(b, cts[0], shapeOf(x), {axis});
    slots[0] = dims.split(b, mul(b, spread, productOfOthers(b, x)));
    return success();
  }
  const ExtremumKind kind = getKind() == ReduceKind::Max ? ExtremumKind::Max : ExtremumKind::Min;
  Value first = ArgReduceOp::create(b, kind, x, axis).getIndex();
  slots[0] = dims.split(b, placeAtIndex(b, cts[0], first, shapeOf(x), axis));
  return success();
}

LogicalResult ArgReduceOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = placeAtIndex(b, cts[0], getIndex(), shapeOf(getInput()), getAxis());
  return success();
}

// d mean / dx = 1/n, d variance / dx = 2 (x - mean) / (n - correction).
LogicalResult MomentsOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Dims shape = shapeOf(getInput());
  if (typeOf(getInput()).getNumElements() == 0)
    return success();
  int64_t count = 1;
  for (int64_t dim : getDims())
    count *= shape[dim];
  auto spread = [&](Value perLine, double factor) {
    return broadcastAlong(b, scale(b, perLine, factor), shape, getDims());
  };
  Value ofMean, ofVariance;
  if (cts[0])
    ofMean = spread(cts[0], 1.0 / count);
  if (cts[1]) {
    const int64_t free = std::max<int64_t>(count - getCorrection(), 0);
    Value distance = sub(b, getInput(), broadcastAlong(b, getMean(), shape, getDims()));
    ofVariance = mul(b, distance, spread(cts[1], 2.0 / free));
  }
  slots[0] = plus(b, ofMean, ofVariance);
  return success();
}

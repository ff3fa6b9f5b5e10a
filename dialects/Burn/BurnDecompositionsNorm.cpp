// Normalisations and logsumexp in terms of primitive ops: row kernels.
#include "dialects/Burn/Composites.h"

#include <limits>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Values = SmallVector<Value>;

namespace {

Value mean(ImplicitLocOpBuilder &b, const NormLines &lines, Value x) {
  Value sum = lines.sum(b, x);
  return div(b, sum, splat(b, sum, static_cast<double>(lines.count)));
}

// rsqrt(mean(x * x) + epsilon)
Value inverseRoot(ImplicitLocOpBuilder &b, const NormLines &lines, Value x, double epsilon) {
  Value square = mean(b, lines, mul(b, x, x));
  return RsqrtOp::create(b, add(b, square, splat(b, square, epsilon)));
}

// x * rstd * scale + bias
Value scaled(ImplicitLocOpBuilder &b, const NormLines &lines, Value x, Value rstd, ValueRange affine) {
  Value y = mul(b, x, lines.spread(b, rstd));
  if (affine.size() > 0)
    y = mul(b, y, lines.spreadAffine(b, affine[0]));
  if (affine.size() > 1)
    y = add(b, y, lines.spreadAffine(b, affine[1]));
  return y;
}

template <typename Op> Values normalise(Op op, OpBuilder &builder, const NormLines &lines) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  Value x = lines.view(b, op.getInput());
  Value average = mean(b, lines, x);
  Value centred = sub(b, x, lines.spread(b, average));
  Value rstd = inverseRoot(b, lines, centred, op.getEpsilon().convertToDouble());
  Value y = scaled(b, lines, centred, rstd, op.getAffine());
  return {shapedLike(b, y, op.getInput()), average, rstd};
}

} // namespace

Values LayerNormOp::decompose(OpBuilder &builder) {
  return normalise(*this, builder, NormLines::lastDims(shapeOf(getInput()), getAxis()));
}

Values GroupNormOp::decompose(OpBuilder &builder) {
  return normalise(*this, builder, NormLines::featureGroups(shapeOf(getInput()), getGroups()));
}

Values RmsNormOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const NormLines lines = NormLines::lastDims(shapeOf(getInput()), getAxis());
  Value x = lines.view(b, getInput());
  Value rstd = inverseRoot(b, lines, x, getEpsilon().convertToDouble());
  ValueRange affine = getScale() ? getOperation()->getOperands().drop_front() : ValueRange();
  return {shapedLike(b, scaled(b, lines, x, rstd, affine), getInput()), rstd};
}

Values LogsumexpOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = widen(b, getInput());
  Value greatest = reduce(b, ReduceKind::Max, x, getDims());
  // Infinite maxima would make inf - inf below.
  Value infinite = compare(b, CompareDirection::EQ, AbsOp::create(b, greatest),
                           splat(b, greatest, std::numeric_limits<double>::infinity()));
  greatest = select(b, infinite, zeros(b, greatest), greatest);
  Value shifted = sub(b, x, broadcastAlong(b, greatest, shapeOf(x), getDims()));
  Value sum = reduce(b, ReduceKind::Sum, ExpOp::create(b, shifted), getDims());
  return {shapedLike(b, add(b, greatest, LogOp::create(b, sum)), getResult())};
}

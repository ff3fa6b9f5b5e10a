// Composites in terms of primitive ops: their exact meaning as code. Written as reductions, broadcasts
// and elementwise ops, which fuse; subexpressions that the derivative of an op needs too are written
// as it writes them, so that both share one value.
#include "dialects/Burn/Composites.h"

#include <limits>

using namespace mlir;
using namespace burn;
using namespace burn::ir;
using namespace burn::ir::composite;

namespace {

using Values = SmallVector<Value>;

Value integerLike(ImplicitLocOpBuilder &b, Value like, int64_t value) {
  RankedTensorType type = typeOf(like);
  const unsigned width = type.getElementTypeBitWidth();
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, APInt(width, value, /*isSigned=*/true)));
}

// What softmax and log_softmax share: the differences to the maximum, their exponentials and the sum
// of these.
struct SoftmaxTerms {
  SoftmaxTerms(ImplicitLocOpBuilder &b, Value x, int64_t axis)
      : shape(typeOf(x).getShape()), kept(otherDims(shape.size(), {axis})) {
    difference = SubOp::create(b, x, spread(b, reduce(b, ReduceKind::Max, x, {axis})));
    exponential = ExpOp::create(b, difference);
    sum = reduce(b, ReduceKind::Sum, exponential, {axis});
  }
  Value spread(ImplicitLocOpBuilder &b, Value perLine) { return broadcast(b, perLine, shape, kept); }

  DimVector shape, kept;
  Value difference, exponential, sum;
};

Value logSoftmax(ImplicitLocOpBuilder &b, Value x, int64_t axis) {
  SoftmaxTerms terms(b, x, axis);
  return SubOp::create(b, terms.difference, terms.spread(b, LogOp::create(b, terms.sum)));
}

} // namespace

Values SoftmaxOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  SoftmaxTerms terms(b, widen(b, getInput()), getAxis());
  Value result = DivOp::create(b, terms.exponential, terms.spread(b, terms.sum));
  return {convert(b, result, getType().getElementType())};
}

Values LogSoftmaxOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  return {convert(b, logSoftmax(b, widen(b, getInput()), getAxis()), getType().getElementType())};
}

// The target's class is chosen by comparison, not by a gather: that fuses with the softmax. Targets
// that are no class give NaN.
Values CrossEntropyOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t axis = getAxis();
  Value logits = widen(b, getLogits()), target = getTarget();
  SmallVector<int64_t> shape(typeOf(logits).getShape());
  const DimVector kept = otherDims(shape.size(), {axis});
  const int64_t classes = shape[axis];
  const double smoothing = getLabelSmoothing().convertToDouble();

  Value logProbability = logSoftmax(b, logits, axis);
  auto indexType = RankedTensorType::get(shape, typeOf(target).getElementType());
  Value indices = IotaOp::create(b, indexType, b.getI64IntegerAttr(axis));
  Value isTarget = compare(b, CompareDirection::EQ, indices, broadcast(b, target, shape, kept));
  Value none = splat(b, logits, 0);
  auto ofTarget = [&](Value perClass) {
    return reduce(b, ReduceKind::Sum, SelectOp::create(b, isTarget, perClass, none), {axis});
  };
  auto scaled = [&](Value value, double factor) -> Value {
    return factor == 1 ? value : MulOp::create(b, value, splat(b, value, factor)).getResult();
  };

  Value likelihood = ofTarget(logProbability), exampleWeight, weights;
  if (getWeight()) {
    weights = broadcast(b, widen(b, getWeight()), shape, {axis});
    exampleWeight = ofTarget(weights);
    likelihood = MulOp::create(b, exampleWeight, likelihood);
  } else {
    exampleWeight = splat(b, likelihood, 1);
  }
  Value loss = NegOp::create(b, scaled(likelihood, 1 - smoothing));
  if (smoothing != 0) {
    Value every = weights ? MulOp::create(b, weights, logProbability).getResult() : logProbability;
    Value all = reduce(b, ReduceKind::Sum, every, {axis});
    loss = SubOp::create(b, loss, scaled(all, smoothing / static_cast<double>(classes)));
  }

  Value isClass = AndOp::create(b, compare(b, CompareDirection::GE, target, integerLike(b, target, 0)),
                                compare(b, CompareDirection::LT, target, integerLike(b, target, classes)));
  Value zero = splat(b, loss, 0);
  loss = SelectOp::create(b, isClass, loss, splat(b, loss, std::numeric_limits<double>::quiet_NaN()));
  // In i64, where any ignore_index can be written.
  Value wideTarget = convert(b, target, b.getI64Type());
  Value counts = compare(b, CompareDirection::NE, wideTarget, integerLike(b, wideTarget, getIgnoreIndex()));
  loss = SelectOp::create(b, counts, loss, zero);
  if (getReduction() != LossReduction::None) {
    const DimVector all = range(0, kept.size());
    loss = reduce(b, ReduceKind::Sum, loss, all);
    if (getReduction() == LossReduction::Mean)
      loss = DivOp::create(b, loss, reduce(b, ReduceKind::Sum, SelectOp::create(b, counts, exampleWeight, zero), all));
  }
  return {convert(b, loss, typeOf(getResult()).getElementType())};
}

Values BatchNormOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t feature = getFeatureDim();
  Value x = widen(b, getInput());
  SmallVector<int64_t> shape(typeOf(x).getShape());
  const DimVector batch = otherDims(shape.size(), {feature});
  int64_t count = 1;
  for (int64_t dim : batch)
    count *= shape[dim];
  auto spread = [&](Value perFeature) { return broadcast(b, perFeature, shape, {feature}); };
  auto average = [&](Value value) -> Value {
    Value sum = reduce(b, ReduceKind::Sum, value, batch);
    return DivOp::create(b, sum, splat(b, sum, static_cast<double>(count)));
  };
  Value mean = average(x);
  Value centered = SubOp::create(b, x, spread(mean));
  Value variance = average(MulOp::create(b, centered, centered));
  Value epsilon = splat(b, variance, getEpsilon().convertToDouble());
  Value factor = RsqrtOp::create(b, AddOp::create(b, variance, epsilon));
  factor = MulOp::create(b, widen(b, getScale()), factor);
  Value y = AddOp::create(b, MulOp::create(b, centered, spread(factor)), spread(widen(b, getBias())));
  Type element = typeOf(getInput()).getElementType();
  return {convert(b, y, element), convert(b, mean, element), convert(b, variance, element)};
}

// keep iff bits < t = floor((1 - rate) 2^32), as bits <= t - 1 and t >= 1: both sides fit into 32 bits.
Values DropoutOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  RankedTensorType type = getType();
  Dims shape = type.getShape();
  auto uint32 = IntegerType::get(getContext(), 32, IntegerType::Unsigned);
  Value one = splat(b, getRate(), 1);
  Value keep = SubOp::create(b, one, getRate());
  Value threshold = FloorOp::create(b, MulOp::create(b, keep, splat(b, keep, 0x1p32)));
  Value last = convert(b, SubOp::create(b, threshold, one), uint32);
  Value any = compare(b, CompareDirection::GE, threshold, one);
  Value bits = RngBitsOp::create(b, RankedTensorType::get(shape, uint32), getKey(), getCounter(), getOrdinal());
  Value kept = AndOp::create(b, compare(b, CompareDirection::LE, bits, broadcast(b, last, shape, {})),
                             broadcast(b, any, shape, {}));
  Value factor = convert(b, DivOp::create(b, one, keep), type.getElementType());
  Value scaled = MulOp::create(b, getInput(), broadcast(b, factor, shape, {}));
  return {SelectOp::create(b, kept, scaled, splat(b, scaled, 0))};
}

Values MomentsOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = widen(b, getInput());
  Dims dims = getDims(), shape = typeOf(x).getShape();
  int64_t count = 1;
  SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(shape))
    if (llvm::is_contained(dims, int64_t(i)))
      count *= size;
    else
      kept.push_back(i);
  auto average = [&](Value value, int64_t divisor) -> Value {
    Value sum = reduce(b, ReduceKind::Sum, value, dims);
    return DivOp::create(b, sum, splat(b, sum, static_cast<double>(divisor)));
  };
  Value mean = average(x, count);
  Value centered = SubOp::create(b, x, broadcast(b, mean, shape, kept));
  const int64_t free = std::max<int64_t>(count - getCorrection(), 0);
  Value variance = average(MulOp::create(b, centered, centered), free);
  Type element = typeOf(getInput()).getElementType();
  return {convert(b, mean, element), convert(b, variance, element)};
}

// Reverse-mode rules of composites of neural networks, and of dropout.
#include "dialects/Burn/Derivatives.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

// Only the input: keys, counter and rate are settings.
bool DropoutOp::isDifferentiableOperand(unsigned operand) { return operand == 0; }

// The same mask, drawn again.
LogicalResult DropoutOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = DropoutOp::create(b, cts[0], getKey(), getCounter(), getRate(), getOrdinal());
  return success();
}

// y (g - sum(g y))
LogicalResult SoftmaxOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t axis = getAxis();
  Value sum = sumOver(b, mul(b, cts[0], getResult()), {axis});
  slots[0] = mul(b, getResult(), sub(b, cts[0], broadcastAlong(b, sum, shapeOf(getResult()), {axis})));
  return success();
}

// g - exp(y) sum(g)
LogicalResult LogSoftmaxOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t axis = getAxis();
  Value sum = broadcastAlong(b, sumOver(b, cts[0], {axis}), shapeOf(getResult()), {axis});
  slots[0] = sub(b, cts[0], mul(b, ExpOp::create(b, getResult()), sum));
  return success();
}

namespace {

/// What the cotangents of a cross entropy have in common.
struct CrossEntropyTerms {
  CrossEntropyTerms(ImplicitLocOpBuilder &b, CrossEntropyOp op, Value ct)
      : axis(op.getAxis()), shape(shapeOf(op.getLogits())), smoothing(op.getLabelSmoothing().convertToDouble()) {
    Value target = op.getTarget();
    Value classes =
        IotaOp::create(b, RankedTensorType::get(shape, typeOf(target).getElementType()), b.getI64IntegerAttr(axis));
    isTarget = compare(b, CompareDirection::EQ, classes, broadcastAlong(b, target, shape, {axis}));
    // In i64, where any ignore_index can be written.
    auto wide = RankedTensorType::get(shapeOf(target), b.getI64Type());
    Value ignored = ConstantOp::create(b, wide, DenseElementsAttr::get(wide, op.getIgnoreIndexAttr().getValue()));
    Value wideTarget = typeOf(target) == wide ? target : ConvertOp::create(b, wide, target).getResult();
    counts = compare(b, CompareDirection::NE, wideTarget, ignored);
    auto exampleType = RankedTensorType::get(shapeOf(target), typeOf(op.getLogits()).getElementType());
    Value zero = splat(b, exampleType, 0.0);
    targetWeight = splat(b, exampleType, 1.0);
    if (Value weight = op.getWeight()) {
      weights = broadcast(b, weight, shape, {axis});
      targetWeight = sumOver(b, select(b, isTarget, weights, zeros(b, weights)), {axis});
    }
    perExample = ct;
    if (op.getReduction() != LossReduction::None) {
      if (op.getReduction() == LossReduction::Mean) {
        divisor = sumOver(b, select(b, counts, targetWeight, zero), range(0, shapeOf(target).size()));
        perExample = div(b, ct, divisor);
      }
      perExample = broadcast(b, perExample, shapeOf(target), {});
    }
    // The loss of a target that is no class is NaN, and so is its gradient: no step may follow a wrong one unseen.
    const auto bound = [&](int64_t number) -> Value {
      llvm::APInt value(64, static_cast<uint64_t>(number), /*isSigned=*/true);
      return ConstantOp::create(b, wide, DenseElementsAttr::get(wide, value));
    };
    Value isClass = AndOp::create(b, compare(b, CompareDirection::GE, wideTarget, bound(0)),
                                  compare(b, CompareDirection::LT, wideTarget, bound(shape[axis])));
    Value undefined = splat(b, exampleType, std::numeric_limits<double>::quiet_NaN());
    perExample = select(b, counts, select(b, isClass, perExample, undefined), zero);
  }

  int64_t axis;
  Dims shape;
  double smoothing;
  Value isTarget;     // [.. class ..]: whether the class is the target's
  Value counts;       // per example: not ignored
  Value weights;      // [.. class ..]: the class weights, null without
  Value targetWeight; // per example: the weight of its class
  Value divisor;      // of the mean, else null
  Value perExample;   // the cotangent of each example's loss
};

// g (softmax(x) sum(q) - q) with q = (1 - s) w[target] onehot + s/C w.
Value logitsCotangent(ImplicitLocOpBuilder &b, CrossEntropyOp op, const CrossEntropyTerms &terms) {
  const double s = terms.smoothing, share = s / terms.shape[terms.axis];
  auto spread = [&](Value perExample) { return broadcastAlong(b, perExample, terms.shape, {terms.axis}); };
  Value p = SoftmaxOp::create(b, op.getLogits(), terms.axis), difference;
  if (!terms.weights) {
    Value other = s == 0.0 ? p : sub(b, p, splat(b, p, share));
    difference = select(b, terms.isTarget, sub(b, p, splat(b, p, 1.0 - s + share)), other);
  } else {
    Value hit = scale(b, terms.targetWeight, 1.0 - s), total = hit, q = zeros(b, p);
    if (s != 0.0) {
      q = scale(b, terms.weights, share);
      total = add(b, total, sumOver(b, q, {terms.axis}));
    }
    q = select(b, terms.isTarget, add(b, q, spread(hit)), q);
    difference = sub(b, mul(b, p, spread(total)), q);
  }
  return mul(b, spread(terms.perExample), difference);
}

// With p = log_softmax(x): -g ((1 - s) p[target] onehot + s/C p), summed over the examples; a mean
// also loses its value times the share of each class in its divisor.
Value weightCotangent(ImplicitLocOpBuilder &b, CrossEntropyOp op, const CrossEntropyTerms &terms) {
  const double s = terms.smoothing, share = s / terms.shape[terms.axis];
  auto spread = [&](Value perExample) { return broadcastAlong(b, perExample, terms.shape, {terms.axis}); };
  Value p = LogSoftmaxOp::create(b, op.getLogits(), terms.axis), none = zeros(b, p);
  Value factor = select(b, terms.isTarget, scale(b, p, -(1.0 - s)), none);
  if (s != 0.0)
    factor = add(b, factor, scale(b, p, -share));
  if (terms.divisor) {
    Value loss = broadcast(b, op.getResult(), terms.shape, {});
    factor = sub(b, factor, select(b, terms.isTarget, loss, none));
  }
  return sumOver(b, mul(b, spread(terms.perExample), factor), otherDims(terms.shape.size(), {terms.axis}));
}

} // namespace

LogicalResult CrossEntropyOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  CrossEntropyTerms terms(b, *this, cts[0]);
  if (needed[0])
    slots[0] = logitsCotangent(b, *this, terms);
  if (needed.size() > 2 && needed[2])
    slots[2] = weightCotangent(b, *this, terms);
  return success();
}

// With c = x - mean, r = rsqrt(var + eps) and sums over the N elements of a feature:
//   bias: sum(g)      scale: r sum(g c)
//   x: s r (g - sum(g)/N - c r^2 sum(g c)/N)  +  g_mean/N  +  2 c g_var/N
// written as a g + p c + q with a, p and q per feature.
LogicalResult BatchNormOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Dims shape = shapeOf(getInput());
  const int64_t feature = getFeatureDim();
  DimVector batch = otherDims(shape.size(), {feature});
  const double share = 1.0 / (typeOf(getInput()).getNumElements() / std::max<int64_t>(shape[feature], 1));
  auto spread = [&](Value perFeature) { return broadcastAlong(b, perFeature, shape, batch); };
  Value g = cts[0], gMean = cts[1], gVariance = cts[2];

  const bool needsCentered = g ? needed[0] || needed[1] : needed[0] && gVariance;
  Value centered = needsCentered ? sub(b, getInput(), spread(getMean())) : Value();
  Value offset = gMean ? vjp::scale(b, gMean, share) : Value();
  Value slope = gVariance ? vjp::scale(b, gVariance, 2.0 * share) : Value();
  Value gradient;
  if (g) {
    Value variance = getVariance();
    Value r = RsqrtOp::create(b, add(b, variance, splat(b, variance, getEpsilon().convertToDouble())));
    Value sum = needed[0] || needed[2] ? sumOver(b, g, batch) : Value();
    Value scaleCt = needed[0] || needed[1] ? mul(b, r, sumOver(b, mul(b, g, centered), batch)) : Value();
    if (needed[1])
      slots[1] = scaleCt;
    if (needed[2])
      slots[2] = sum;
    if (needed[0]) {
      Value a = mul(b, getScale(), r), negative = vjp::scale(b, a, -share);
      offset = plus(b, mul(b, negative, sum), offset);
      slope = plus(b, mul(b, negative, mul(b, r, scaleCt)), slope);
      gradient = mul(b, spread(a), g);
    }
  }
  if (needed[0]) {
    if (slope)
      gradient = plus(b, gradient, mul(b, spread(slope), centered));
    if (offset)
      gradient = plus(b, gradient, spread(offset));
    slots[0] = gradient;
  }
  return success();
}

// The density of the normal distribution.
static Value normalDensity(ImplicitLocOpBuilder &b, Value x) {
  constexpr double factor = 0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return vjp::scale(b, ExpOp::create(b, vjp::scale(b, mul(b, x, x), -0.5)), factor);
}

// The normal distribution function from y = gelu(x), with its derivative: y / x but where x is small, and the first
// terms of its series there.
static Value normalDistribution(ImplicitLocOpBuilder &b, Value x, Value y) {
  const Type type = x.getType();
  auto op = CustomVjpOp::create(b, TypeRange(type), ValueRange(x), ValueRange(y));
  OpBuilder::InsertionGuard guard(b);
  const Location loc = b.getLoc();
  Block *forward = b.createBlock(&op.getForward(), {}, {type, type}, {loc, loc});
  Value at = forward->getArgument(0);
  Value isSmall = compare(b, CompareDirection::LT, AbsOp::create(b, at), splat(b, at, 0x1p-10));
  Value near = add(b, vjp::scale(b, at, 0x1.9884533d43651p-2), splat(b, at, 0.5));
  YieldOp::create(b, ValueRange(select(b, isSmall, near, div(b, forward->getArgument(1), at))));
  // The arguments: input, result, cotangent, what is captured.
  Block *slope = b.createBlock(&op.getVjp(), {}, SmallVector<Type>(4, type), SmallVector<Location>(4, loc));
  YieldOp::create(b, ValueRange(mul(b, slope->getArgument(2), normalDensity(b, slope->getArgument(0)))));
  return op.getResult(0);
}

// erf: g (cdf(x) + x pdf(x)) of the normal distribution, where cdf(x) = gelu(x) / x. tanh: with u = k (x + c x^3) and t
// = tanh u, g/2 (1 + t + x (1 - t^2) k (1 + 3 c x^2)).
LogicalResult GeluOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = getInput(), derivative;
  if (getApproximate() == GeluApproximation::None) {
    derivative = add(b, normalDistribution(b, x, getResult()), mul(b, x, normalDensity(b, x)));
  } else {
    constexpr double k = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, c = 0.044715;
    Value square = mul(b, x, x), one = splat(b, x, 1.0), cubic = vjp::scale(b, square, c);
    Value t = TanhOp::create(b, vjp::scale(b, mul(b, x, add(b, one, cubic)), k));
    Value inner = vjp::scale(b, add(b, one, vjp::scale(b, cubic, 3.0)), k);
    Value bend = mul(b, mul(b, x, sub(b, one, mul(b, t, t))), inner);
    derivative = vjp::scale(b, add(b, add(b, one, t), bend), 0.5);
  }
  slots[0] = mul(b, cts[0], derivative);
  return success();
}

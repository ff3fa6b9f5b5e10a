// Reverse-mode rules of activation functions: g f'(x). Arms that are not chosen stay finite, so that a derivative of
// higher order does not meet 0 * inf.
#include "dialects/Burn/Composites.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

namespace {

template <typename Op, typename Fn>
LogicalResult pointwise(Op op, OpBuilder &builder, Cts cts, Slots slots, Fn derivative) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  slots[0] = mul(b, cts[0], derivative(b, op.getInput()));
  return success();
}

Value one(ImplicitLocOpBuilder &b, Value x) { return splat(b, x, 1.0); }

// 1 where x > 0, else slope(min(x, 0)).
template <typename Fn> Value belowZero(ImplicitLocOpBuilder &b, Value x, Fn slope) {
  Value positive = compare(b, CompareDirection::GT, x, zeros(b, x));
  return select(b, positive, one(b, x), slope(MinOp::create(b, x, zeros(b, x)).getResult()));
}

} // namespace

LogicalResult SiluOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [](auto &b, Value x) {
    Value s = LogisticOp::create(b, x);
    return mul(b, s, add(b, one(b, x), mul(b, x, sub(b, one(b, x), s))));
  });
}

LogicalResult SoftplusOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [&](auto &b, Value x) {
    const double beta = getBeta().convertToDouble();
    Value t = beta == 1 ? x : vjp::scale(b, x, beta);
    Value linear = compare(b, CompareDirection::GT, t, splat(b, t, getThreshold().convertToDouble()));
    return select(b, linear, one(b, x), LogisticOp::create(b, t));
  });
}

// With t = tanh(softplus(x)): t + x logistic(x) (1 - t^2).
LogicalResult MishOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [](auto &b, Value x) {
    Value t = TanhOp::create(b, softplus(b, x));
    Value slope = mul(b, LogisticOp::create(b, x), sub(b, one(b, x), mul(b, t, t)));
    return add(b, t, mul(b, x, slope));
  });
}

LogicalResult EluOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [&](auto &b, Value x) {
    return belowZero(b, x,
                     [&](Value low) { return vjp::scale(b, ExpOp::create(b, low), getAlpha().convertToDouble()); });
  });
}

LogicalResult SeluOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [](auto &b, Value x) {
    Value slope = belowZero(b, x, [&](Value low) { return vjp::scale(b, ExpOp::create(b, low), kSeluAlpha); });
    return vjp::scale(b, slope, kSeluScale);
  });
}

LogicalResult CeluOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [&](auto &b, Value x) {
    return belowZero(b, x, [&](Value low) -> Value {
      return ExpOp::create(b, div(b, low, splat(b, low, getAlpha().convertToDouble())));
    });
  });
}

LogicalResult HardSigmoidOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [&](auto &b, Value x) {
    const double alpha = getAlpha().convertToDouble();
    Value line = add(b, vjp::scale(b, x, alpha), splat(b, x, getBeta().convertToDouble()));
    Value inside = AndOp::create(b, compare(b, CompareDirection::GT, line, zeros(b, x)),
                                 compare(b, CompareDirection::LT, line, one(b, x)));
    return select(b, inside, splat(b, x, alpha), zeros(b, x));
  });
}

// 0 up to -3, x/3 + 1/2 between, 1 from 3 on.
LogicalResult HardSwishOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [](auto &b, Value x) {
    Value middle = add(b, div(b, x, splat(b, x, 3.0)), splat(b, x, 0.5));
    Value below = compare(b, CompareDirection::LE, x, splat(b, x, -3.0));
    Value under = compare(b, CompareDirection::LT, x, splat(b, x, 3.0));
    return select(b, below, zeros(b, x), select(b, under, middle, one(b, x)));
  });
}

LogicalResult LeakyReluOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots, [&](auto &b, Value x) {
    return belowZero(b, x, [&](Value low) { return splat(b, low, getSlope().convertToDouble()); });
  });
}

LogicalResult LogSigmoidOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  return pointwise(*this, builder, cts, slots,
                   [](auto &b, Value x) -> Value { return LogisticOp::create(b, neg(b, x)); });
}

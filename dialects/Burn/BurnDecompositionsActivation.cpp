// Activation functions in terms of primitive ops.
#include "dialects/Burn/Composites.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Values = SmallVector<Value>;

namespace {

// The function of x, computed in a wide type and rounded once.
template <typename Op, typename Fn> Values pointwise(Op op, OpBuilder &builder, Fn function) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  Value x = widen(b, op.getInput());
  return {convert(b, function(b, x), elementOf(op.getInput()))};
}

Value isPositive(ImplicitLocOpBuilder &b, Value x) { return compare(b, CompareDirection::GT, x, zeros(b, x)); }

// e^(min(x, 0) / width) - 1: no overflow where another arm is chosen.
Value exponentialArm(ImplicitLocOpBuilder &b, Value x, double width) {
  Value low = MinOp::create(b, x, zeros(b, x));
  return Expm1Op::create(b, width == 1 ? low : div(b, low, splat(b, low, width)));
}

} // namespace

Values SiluOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [](auto &b, Value x) { return mul(b, x, LogisticOp::create(b, x)); });
}

Values SoftplusOp::decompose(OpBuilder &builder) {
  const double beta = getBeta().convertToDouble(), threshold = getThreshold().convertToDouble();
  return pointwise(*this, builder, [&](auto &b, Value x) {
    Value t = beta == 1 ? x : vjp::scale(b, x, beta), smooth = softplus(b, t);
    if (beta != 1)
      smooth = div(b, smooth, splat(b, smooth, beta));
    return select(b, compare(b, CompareDirection::GT, t, splat(b, t, threshold)), x, smooth);
  });
}

Values MishOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [](auto &b, Value x) { return mul(b, x, TanhOp::create(b, softplus(b, x))); });
}

Values EluOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [&](auto &b, Value x) {
    Value low = vjp::scale(b, exponentialArm(b, x, 1), getAlpha().convertToDouble());
    return select(b, isPositive(b, x), x, low);
  });
}

Values SeluOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [](auto &b, Value x) {
    Value low = vjp::scale(b, exponentialArm(b, x, 1), kSeluAlpha);
    return vjp::scale(b, select(b, isPositive(b, x), x, low), kSeluScale);
  });
}

Values CeluOp::decompose(OpBuilder &builder) {
  const double alpha = getAlpha().convertToDouble();
  return pointwise(*this, builder, [&](auto &b, Value x) {
    return select(b, isPositive(b, x), x, vjp::scale(b, exponentialArm(b, x, alpha), alpha));
  });
}

Values HardSigmoidOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [&](auto &b, Value x) -> Value {
    Value line = vjp::scale(b, x, getAlpha().convertToDouble());
    line = add(b, line, splat(b, line, getBeta().convertToDouble()));
    return ClampOp::create(b, line, zeros(b, x), splat(b, x, 1.0));
  });
}

// The share is divided first: its product with x does not leave the range before the result does.
Values HardSwishOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [](auto &b, Value x) {
    Value share = ClampOp::create(b, add(b, x, splat(b, x, 3.0)), zeros(b, x), splat(b, x, 6.0));
    return mul(b, x, div(b, share, splat(b, x, 6.0)));
  });
}

Values LeakyReluOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [&](auto &b, Value x) {
    return select(b, isPositive(b, x), x, vjp::scale(b, x, getSlope().convertToDouble()));
  });
}

Values LogSigmoidOp::decompose(OpBuilder &builder) {
  return pointwise(*this, builder, [](auto &b, Value x) { return neg(b, softplus(b, neg(b, x))); });
}

// Reverse-mode rules of elementary and special functions.
#include "dialects/Burn/Derivatives.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

namespace {

/// 1 + x
Value onePlus(ImplicitLocOpBuilder &b, Value x) { return add(b, x, splat(b, x, 1.0)); }

/// 1 - x^2, without cancellation near 1.
Value oneMinusSquare(ImplicitLocOpBuilder &b, Value x) { return mul(b, sub(b, splat(b, x, 1.0), x), onePlus(b, x)); }

/// exp(sign x^2) times a number.
Value scaledBell(ImplicitLocOpBuilder &b, Value x, bool isFalling, double factor) {
  Value square = mul(b, x, x);
  return scale(b, ExpOp::create(b, isFalling ? neg(b, square) : square), factor);
}

} // namespace

// g / (3 y^2)
LogicalResult CbrtOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, cts[0], scale(b, mul(b, getResult(), getResult()), 3.0));
  return success();
}

LogicalResult Exp2Op::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], scale(b, getResult(), std::numbers::ln2));
  return success();
}

LogicalResult Log2Op::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, scale(b, cts[0], std::numbers::log2e), getInput());
  return success();
}

LogicalResult Log10Op::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, scale(b, cts[0], std::numbers::log10e), getInput());
  return success();
}

LogicalResult SinOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], CosOp::create(b, getInput()));
  return success();
}

LogicalResult CosOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = neg(b, mul(b, cts[0], SinOp::create(b, getInput())));
  return success();
}

// g (1 + y^2)
LogicalResult TanOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], onePlus(b, mul(b, getResult(), getResult())));
  return success();
}

LogicalResult AsinOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], RsqrtOp::create(b, oneMinusSquare(b, getInput())));
  return success();
}

LogicalResult AcosOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = neg(b, mul(b, cts[0], RsqrtOp::create(b, oneMinusSquare(b, getInput()))));
  return success();
}

LogicalResult AtanOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, cts[0], onePlus(b, mul(b, getInput(), getInput())));
  return success();
}

LogicalResult SinhOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], CoshOp::create(b, getInput()));
  return success();
}

LogicalResult CoshOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], SinhOp::create(b, getInput()));
  return success();
}

// g / sqrt(x^2 + 1), also where x^2 is out of range.
LogicalResult AsinhOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, cts[0], HypotOp::create(b, getInput(), splat(b, getInput(), 1.0)));
  return success();
}

// g / sqrt(x^2 - 1) by factors, which neither cancel nor leave the range.
LogicalResult AcoshOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value below = RsqrtOp::create(b, sub(b, getInput(), splat(b, getInput(), 1.0)));
  slots[0] = mul(b, cts[0], mul(b, below, RsqrtOp::create(b, onePlus(b, getInput()))));
  return success();
}

LogicalResult AtanhOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, cts[0], oneMinusSquare(b, getInput()));
  return success();
}

// -2/sqrt(pi) g exp(-x^2)
LogicalResult ErfcOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], scaledBell(b, getInput(), /*isFalling=*/true, -2.0 * std::numbers::inv_sqrtpi));
  return success();
}

// sqrt(pi)/2 g exp(y^2)
LogicalResult ErfinvOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], scaledBell(b, getResult(), /*isFalling=*/false, 0.5 / std::numbers::inv_sqrtpi));
  return success();
}

LogicalResult LgammaOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], DigammaOp::create(b, getInput()));
  return success();
}

LogicalResult DigammaOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], PolygammaOp::create(b, getInput(), 1));
  return success();
}

// The next order. The rule of the op ends with order 64, whose derivative is refused.
LogicalResult PolygammaOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  if (getN() == 64)
    return failure();
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], PolygammaOp::create(b, getInput(), getN() + 1));
  return success();
}

// g n x^(n - 1), and 0 for n = 0.
LogicalResult PowiOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const int64_t n = getExponent();
  if (n == 0) {
    slots[0] = zeros(b, getInput());
    return success();
  }
  // The least exponent has none below it.
  const double factor = static_cast<double>(n);
  Value lowered = n == INT64_MIN ? Value(PowOp::create(b, getInput(), splat(b, getInput(), factor)))
                                 : Value(PowiOp::create(b, getInput(), n - 1));
  slots[0] = mul(b, cts[0], scale(b, lowered, factor));
  return success();
}

// With r the length of (a, b): g (b / r) / r and -g (a / r) / r, which do not leave the range where r^2 does. Both are
// 0 at the origin, where the point has no direction, and infinitely far away, where no step turns it.
LogicalResult Atan2Op::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value length = HypotOp::create(b, getLhs(), getRhs());
  Value turn = div(b, cts[0], length);
  Value zero = zeros(b, length), infinity = splat(b, length, std::numeric_limits<double>::infinity());
  Value still = OrOp::create(b, compare(b, CompareDirection::EQ, length, zero),
                             compare(b, CompareDirection::EQ, length, infinity));
  if (needed[0])
    slots[0] = select(b, still, zero, mul(b, turn, div(b, getRhs(), length)));
  if (needed[1])
    slots[1] = select(b, still, zero, neg(b, mul(b, turn, div(b, getLhs(), length))));
  return success();
}

// g a / y, g b / y, and 0 at the origin, where the point has no direction. An operand that is the whole length, be that
// infinite, counts with its sign.
LogicalResult HypotOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value zero = zeros(b, getResult()), atOrigin = compare(b, CompareDirection::EQ, getResult(), zero);
  for (unsigned i : needed.set_bits()) {
    Value x = getOperand(i);
    Value isWhole = compare(b, CompareDirection::EQ, AbsOp::create(b, x), getResult());
    Value share = select(b, isWhole, SignOp::create(b, x), div(b, x, getResult()));
    slots[i] = select(b, atOrigin, zero, mul(b, cts[0], share));
  }
  return success();
}

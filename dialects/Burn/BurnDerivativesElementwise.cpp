// Reverse-mode rules of elementwise ops, and of ops through which no gradient flows.
#include "dialects/Burn/Derivatives.h"

#include <numbers>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

//===-- Derivative zero everywhere, or no float operand ---------------------------------------===//

bool ConstantOp::isDifferentiableOperand(unsigned) { return false; }
bool IotaOp::isDifferentiableOperand(unsigned) { return false; }
bool UndefOp::isDifferentiableOperand(unsigned) { return false; }
bool RngBitsOp::isDifferentiableOperand(unsigned) { return false; }
bool StopGradientOp::isDifferentiableOperand(unsigned) { return false; }
bool SignOp::isDifferentiableOperand(unsigned) { return false; }
bool FloorOp::isDifferentiableOperand(unsigned) { return false; }
bool CeilOp::isDifferentiableOperand(unsigned) { return false; }
bool RoundEvenOp::isDifferentiableOperand(unsigned) { return false; }

//===-- Unary ---------------------------------------------------------------------------------===//

LogicalResult NegOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = neg(b, cts[0]);
  return success();
}

// sign(0) = 0, and NaN stays NaN.
LogicalResult AbsOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], SignOp::create(b, getInput()));
  return success();
}

LogicalResult ExpOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], getResult());
  return success();
}

LogicalResult Expm1Op::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], add(b, getResult(), splat(b, getResult(), 1.0)));
  return success();
}

LogicalResult LogOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, cts[0], getInput());
  return success();
}

LogicalResult Log1pOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, cts[0], add(b, getInput(), splat(b, getInput(), 1.0)));
  return success();
}

// g / (2 y)
LogicalResult SqrtOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = div(b, scale(b, cts[0], 0.5), getResult());
  return success();
}

// -g y / (2 x)
LogicalResult RsqrtOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], div(b, scale(b, getResult(), -0.5), getInput()));
  return success();
}

// g (1 - y^2)
LogicalResult TanhOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value y = getResult();
  slots[0] = mul(b, cts[0], sub(b, splat(b, y, 1.0), mul(b, y, y)));
  return success();
}

// 2/sqrt(pi) g exp(-x^2)
LogicalResult ErfOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value bell = ExpOp::create(b, neg(b, mul(b, getInput(), getInput())));
  slots[0] = mul(b, cts[0], scale(b, bell, 2.0 * std::numbers::inv_sqrtpi));
  return success();
}

// g y (1 - y)
LogicalResult LogisticOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value y = getResult();
  slots[0] = mul(b, cts[0], mul(b, y, sub(b, splat(b, y, 1.0), y)));
  return success();
}

LogicalResult ReluOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value zero = zeros(b, cts[0]);
  slots[0] = select(b, compare(b, CompareDirection::GT, getResult(), zero), cts[0], zero);
  return success();
}

//===-- Binary --------------------------------------------------------------------------------===//

LogicalResult AddOp::buildVjp(OpBuilder &, Cts cts, Needed, Slots slots) {
  slots[0] = slots[1] = cts[0];
  return success();
}

LogicalResult SubOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = cts[0];
  if (needed[1])
    slots[1] = neg(b, cts[0]);
  return success();
}

LogicalResult MulOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (needed[0])
    slots[0] = mul(b, cts[0], getRhs());
  if (needed[1])
    slots[1] = mul(b, cts[0], getLhs());
  return success();
}

// g / b, -(g / b) y
LogicalResult DivOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value quotient = div(b, cts[0], getRhs());
  slots[0] = quotient;
  if (needed[1])
    slots[1] = neg(b, mul(b, quotient, getResult()));
  return success();
}

// The base: g b a^(b-1), and 0 where b = 0 (a^-1 may be infinite). The exponent: g y log a, and its
// limit 0 where a = 0 and b >= 0.
LogicalResult PowOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value base = getLhs(), exponent = getRhs(), zero = zeros(b, base);
  if (needed[0]) {
    Value lowered = PowOp::create(b, base, sub(b, exponent, splat(b, exponent, 1.0)));
    slots[0] =
        select(b, compare(b, CompareDirection::EQ, exponent, zero), zero, mul(b, cts[0], mul(b, exponent, lowered)));
  }
  if (needed[1]) {
    Value atZero = AndOp::create(b, compare(b, CompareDirection::EQ, base, zero),
                                 compare(b, CompareDirection::GE, exponent, zero));
    slots[1] = select(b, atZero, zero, mul(b, cts[0], mul(b, getResult(), LogOp::create(b, base))));
  }
  return success();
}

// The cotangent goes to the left operand where it is the extremum or both are.
static void buildExtremumVjp(Operation *op, CompareDirection leftWins, OpBuilder &builder, Cts cts, Needed needed,
                             Slots slots) {
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  Value left = compare(b, leftWins, op->getOperand(0), op->getOperand(1)), zero = zeros(b, cts[0]);
  if (needed[0])
    slots[0] = select(b, left, cts[0], zero);
  if (needed[1])
    slots[1] = select(b, left, zero, cts[0]);
}

LogicalResult MaxOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  buildExtremumVjp(*this, CompareDirection::GE, builder, cts, needed, slots);
  return success();
}

LogicalResult MinOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  buildExtremumVjp(*this, CompareDirection::LE, builder, cts, needed, slots);
  return success();
}

//===-- Ternary, conversion -------------------------------------------------------------------===//

LogicalResult SelectOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value zero = zeros(b, cts[0]);
  if (needed[1])
    slots[1] = select(b, getPredicate(), cts[0], zero);
  if (needed[2])
    slots[2] = select(b, getPredicate(), zero, cts[0]);
  return success();
}

// Each element's cotangent goes to the operand that it was taken from; where low > high that is high.
LogicalResult ClampOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  using enum CompareDirection;
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = getInput(), low = getLow(), high = getHigh(), zero = zeros(b, cts[0]);
  auto where = [&](Value condition) { return select(b, condition, cts[0], zero); };
  if (needed[0])
    slots[0] = where(AndOp::create(b, compare(b, GE, x, low), compare(b, LE, x, high)));
  if (needed[1])
    slots[1] = where(AndOp::create(b, compare(b, LT, x, low), compare(b, LE, low, high)));
  if (needed[2])
    slots[2] = where(OrOp::create(b, compare(b, GT, x, high), compare(b, GT, low, high)));
  return success();
}

LogicalResult ConvertOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = ConvertOp::create(b, getInput().getType(), cts[0]);
  return success();
}

// Reverse-mode rules of ops on numbers as they are represented.
#include "dialects/Burn/Derivatives.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::vjp;

using Cts = ArrayRef<Value>;
using Needed = const llvm::SmallBitVector &;
using Slots = MutableArrayRef<Value>;

bool TruncOp::isDifferentiableOperand(unsigned) { return false; }
bool BitcastOp::isDifferentiableOperand(unsigned) { return false; }
bool CopysignOp::isDifferentiableOperand(unsigned operand) { return operand == 0; }

// g sign(a) sign(y): the sign of y is that of b, also where b is a zero.
LogicalResult CopysignOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = mul(b, cts[0], mul(b, SignOp::create(b, getLhs()), SignOp::create(b, getResult())));
  return success();
}

// The cotangent goes to the left operand where it is the extremum, both are, or the right one is NaN.
static void buildNumberExtremumVjp(Operation *op, CompareDirection leftWins, OpBuilder &builder, Cts cts, Needed needed,
                                   Slots slots) {
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), zero = zeros(b, cts[0]);
  Value left = OrOp::create(b, compare(b, leftWins, lhs, rhs), IsNanOp::create(b, rhs));
  if (needed[0])
    slots[0] = select(b, left, cts[0], zero);
  if (needed[1])
    slots[1] = select(b, left, zero, cts[0]);
}

LogicalResult FmaxOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  buildNumberExtremumVjp(*this, CompareDirection::GE, builder, cts, needed, slots);
  return success();
}

LogicalResult FminOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  buildNumberExtremumVjp(*this, CompareDirection::LE, builder, cts, needed, slots);
  return success();
}

// g, and -g q with the rounded quotient q. (a - y) / b is next to q, while a / b may round across an integer.
LogicalResult RemOp::buildVjp(OpBuilder &builder, Cts cts, Needed needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = cts[0];
  if (needed[1]) {
    Value quotient = RoundEvenOp::create(b, div(b, sub(b, getLhs(), getResult()), getRhs()));
    slots[1] = neg(b, mul(b, cts[0], quotient));
  }
  return success();
}

LogicalResult ReducePrecisionOp::buildVjp(OpBuilder &builder, Cts cts, Needed, Slots slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[0] = ReducePrecisionOp::create(b, cts[0], getTypeAttr());
  return success();
}

// Ops on numbers as they are represented: classes, parts, bits, shifts, remainders.
#include "dialects/Burn/ScalarPayloadBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

Value integer(ImplicitLocOpBuilder &b, Value like, const APInt &value) {
  return buildSplat(b, like.getType(), b.getIntegerAttr(getElementTypeOrSelf(like.getType()), value));
}

/// The remainder of positive finite numbers by positive ones, without rounding.
class Remainder {
public:
  explicit Remainder(FloatFormula &m) : m(m), b(m.b), step(m.significandBits() - 1) {}

  // Long division: each round subtracts a multiple of y 2^k that is below 2^(step + 1) of them, so that the quotient is
  // off by one at most and the fused subtraction exact. One round is all that operands of like size need.
  Value of(Value x, Value y) {
    Value exponentY = exponentOf(y);
    auto loop = scf::WhileOp::create(
        b, x.getType(), x,
        [&](OpBuilder &, Location, ValueRange rest) {
          Value open = m.is(CmpFPredicate::OGE, rest[0], y);
          if (isa<VectorType>(open.getType()))
            open = vector::ReductionOp::create(b, vector::CombiningKind::OR, open);
          scf::ConditionOp::create(b, open, rest);
        },
        [&](OpBuilder &, Location, ValueRange rest) { scf::YieldOp::create(b, round(rest[0], y, exponentY)); });
    return loop.getResult(0);
  }

private:
  Value round(Value x, Value y, Value exponentY) {
    Value zero = m.bitsNum(0);
    Value excess = arith::SubIOp::create(b, exponentOf(x), arith::AddIOp::create(b, exponentY, m.bitsNum(step)));
    Value k = arith::MaxSIOp::create(b, excess, zero);
    // 2^k may be out of range, but the product with both halves is not above x.
    Value half = arith::ShRUIOp::create(b, k, m.bitsNum(1));
    Value divisor = m.mul(m.mul(y, power(half)), power(arith::SubIOp::create(b, k, half)));
    Value quotient = math::TruncOp::create(b, m.div(x, divisor));
    // The product of a quotient that was rounded up may lie beyond the range, which a product and a sum in place of the
    // fused operation would show. A quarter of what is so large is exact.
    Value large = m.is(CmpFPredicate::OGE, x, m.isF64() ? 0x1p1022 : 0x1p126);
    Value scale = m.select(large, m.num(0.25), m.num(1));
    Value scaled = m.mul(divisor, scale);
    Value rest = m.mulAdd(m.neg(quotient), scaled, m.mul(x, scale));
    rest = m.select(m.is(CmpFPredicate::OLT, rest, 0.0), m.add(rest, scaled), rest);
    rest = m.mul(rest, m.select(large, m.num(4), m.num(1)));
    // A lane that is through stays as it is.
    return m.select(m.is(CmpFPredicate::OGE, x, y), rest, x);
  }

  Value power(Value exponent) { return m.powerOfTwo(m.bitsAdd(exponent, m.bias())); }

  /// The biased exponent of a positive number, that of a subnormal one as if the range went on.
  Value exponentOf(Value x) {
    int digits = m.significandBits() + 1;
    double leastNormal = m.isF64() ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
    Value small = m.is(CmpFPredicate::OLT, x, leastNormal);
    Value normal = m.select(small, m.mul(x, m.num(std::ldexp(1.0, digits))), x);
    Value exponent = arith::ShRUIOp::create(b, m.toBits(normal), m.bitsNum(m.significandBits()));
    return m.select(small, m.bitsAdd(exponent, -digits), exponent);
  }

  FloatFormula &m;
  ImplicitLocOpBuilder &b;
  int step;
};

Value floatRemainder(FloatFormula &m, Value x, Value y, DivideRounding rounding) {
  double infinity = std::numeric_limits<double>::infinity();
  Value magnitude = m.abs(x), divisor = m.abs(y);
  Value valid = m.both(m.is(CmpFPredicate::OLT, magnitude, infinity), m.is(CmpFPredicate::OGT, divisor, 0.0));
  Value one = m.num(1);
  Value rest = Remainder(m).of(m.select(valid, magnitude, one), m.select(valid, divisor, one));
  Value result = m.copySign(rest, x);
  if (rounding == DivideRounding::Floor) {
    Value zero = m.is(CmpFPredicate::OEQ, rest, 0.0);
    Value unlike = arith::XOrIOp::create(m.b, m.is(CmpFPredicate::OLT, x, 0.0), m.is(CmpFPredicate::OLT, y, 0.0));
    result = m.select(unlike, m.add(result, y), result);
    result = m.select(zero, m.copySign(rest, y), result);
  }
  return m.select(valid, result, m.num(std::numeric_limits<double>::quiet_NaN()));
}

} // namespace

Value ScalarOps::trunc(Value x) {
  if (!kind.isFloat())
    return x;
  return compute([&](Value v) -> Value { return math::TruncOp::create(b, v); }, x);
}

Value ScalarOps::isNaN(Value x) { return compare(CompareDirection::NE, x, x); }

Value ScalarOps::isInfinite(Value x) {
  return compare(CompareDirection::EQ, abs(x), constant(std::numeric_limits<double>::infinity(), x));
}

Value ScalarOps::isFinite(Value x) {
  return compare(CompareDirection::LT, abs(x), constant(std::numeric_limits<double>::infinity(), x));
}

Value ScalarOps::popCount(Value x) { return math::CtPopOp::create(b, x); }

Value ScalarOps::countLeadingZeros(Value x) { return math::CountLeadingZerosOp::create(b, x); }

Value ScalarOps::copySign(Value magnitude, Value sign) {
  // In bits, since every float kind has its sign there at the same place.
  ScalarKind bits{ScalarKind::Class::Unsigned, kind.width};
  Value from = bitcast(sign, bits), to = bitcast(magnitude, bits);
  Value mask = integer(b, to, APInt::getSignMask(kind.width));
  Value rest = integer(b, to, APInt::getSignedMaxValue(kind.width));
  Value joined = arith::OrIOp::create(b, arith::AndIOp::create(b, to, rest), arith::AndIOp::create(b, from, mask));
  return ScalarOps(b, b.getLoc(), bits).bitcast(joined, kind);
}

Value ScalarOps::maxNumber(Value lhs, Value rhs) {
  return select(isNaN(lhs), rhs, select(isNaN(rhs), lhs, max(lhs, rhs)));
}

Value ScalarOps::minNumber(Value lhs, Value rhs) {
  return select(isNaN(lhs), rhs, select(isNaN(rhs), lhs, min(lhs, rhs)));
}

Value ScalarOps::shiftLeft(Value lhs, Value rhs) {
  // As an unsigned number a negative distance is a great one.
  Value within = arith::CmpIOp::create(b, CmpIPredicate::ult, rhs, integer(b, rhs, APInt(kind.width, kind.width)));
  Value zero = integer(b, rhs, APInt::getZero(kind.width));
  return select(within, arith::ShLIOp::create(b, lhs, select(within, rhs, zero)), zero);
}

Value ScalarOps::shiftRight(Value lhs, Value rhs) {
  Value within = arith::CmpIOp::create(b, CmpIPredicate::ult, rhs, integer(b, rhs, APInt(kind.width, kind.width)));
  if (kind.isSigned()) // the longest shift leaves the sign alone
    return arith::ShRSIOp::create(b, lhs, select(within, rhs, integer(b, rhs, APInt(kind.width, kind.width - 1))));
  Value zero = integer(b, rhs, APInt::getZero(kind.width));
  return select(within, arith::ShRUIOp::create(b, lhs, select(within, rhs, zero)), zero);
}

Value ScalarOps::bitcast(Value x, ScalarKind to) {
  Type target = withShapeOf(x.getType(), to.getLowered(b.getContext()));
  return target == x.getType() ? x : arith::BitcastOp::create(b, target, x);
}

Value ScalarOps::reducePrecision(Value x, ScalarKind to) {
  return ScalarOps(b, b.getLoc(), to).convert(convert(x, to), kind);
}

Value ScalarOps::rem(Value lhs, Value rhs, DivideRounding rounding) {
  if (kind.isFloat())
    return compute(
        [&](Value x, Value y) {
          FloatFormula m(b, x.getType());
          return floatRemainder(m, x, y, rounding);
        },
        lhs, rhs);
  if (kind.isUnsigned()) {
    Value zero = integer(b, rhs, APInt::getZero(kind.width));
    Value byZero = compare(CompareDirection::EQ, rhs, zero);
    Value divisor = select(byZero, integer(b, rhs, APInt(kind.width, 1)), rhs);
    return select(byZero, lhs, arith::RemUIOp::create(b, lhs, divisor));
  }
  // The machine instruction traps on 0 and on the least integer by -1. Division by 1 leaves 0, which is right for -1.
  Value zero = integer(b, rhs, APInt::getZero(kind.width));
  Value one = integer(b, rhs, APInt(kind.width, 1));
  Value byZero = compare(CompareDirection::EQ, rhs, zero);
  Value byMinusOne = compare(CompareDirection::EQ, rhs, integer(b, rhs, APInt::getAllOnes(kind.width)));
  Value divisor = select(arith::OrIOp::create(b, byZero, byMinusOne), one, rhs);
  Value result = arith::RemSIOp::create(b, lhs, divisor);
  if (rounding == DivideRounding::Floor) {
    Value inexact = compare(CompareDirection::NE, result, zero);
    Value unlike = compare(CompareDirection::LT, arith::XOrIOp::create(b, lhs, divisor), zero);
    result = select(arith::AndIOp::create(b, inexact, unlike), arith::AddIOp::create(b, result, divisor), result);
  }
  return select(byZero, lhs, result);
}

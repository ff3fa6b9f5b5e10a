// Conversions between all element kinds. Every one rounds once.
#include "dialects/Burn/ScalarPayloadBuilder.h"

#include <cmath>

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

Value integer(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return buildSplat(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value number(ImplicitLocOpBuilder &b, Type type, double value) {
  return buildSplat(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
}

/// f64 to f32, rounded to odd: an inexact result gets a last bit of 1, so that
/// rounding it again to fewer bits gives what rounding the f64 would give.
Value roundToOdd(ImplicitLocOpBuilder &b, Value x) {
  Type narrow = withShapeOf(x.getType(), b.getF32Type());
  Type bitsType = withShapeOf(x.getType(), b.getI32Type());
  Value nearest = arith::TruncFOp::create(b, narrow, x);
  Value back = arith::ExtFOp::create(b, x.getType(), nearest);
  Value bits = arith::BitcastOp::create(b, bitsType, nearest);
  // Nearest went away from zero: one step back is the truncated value.
  Value away = arith::CmpFOp::create(b, CmpFPredicate::OGT, math::AbsFOp::create(b, back), math::AbsFOp::create(b, x));
  Value step = arith::SubIOp::create(b, bits, integer(b, bitsType, APInt(32, 1)));
  Value truncated = arith::SelectOp::create(b, away, step, bits);
  Value odd = arith::OrIOp::create(b, truncated, integer(b, bitsType, APInt(32, 1)));
  Value inexact = arith::CmpFOp::create(b, CmpFPredicate::ONE, back, x);
  return arith::BitcastOp::create(b, narrow, arith::SelectOp::create(b, inexact, odd, bits));
}

Value floatToInteger(ImplicitLocOpBuilder &b, Value x, ScalarKind to) {
  Type type = x.getType();
  Type result = withShapeOf(type, to.getLowered(b.getContext()));
  // Both bounds are powers of two or 0, exact in every float type of 32 bits and
  // more. The conversion instruction sees only values between them.
  double below = to.isSigned() ? -std::ldexp(1.0, to.width - 1) : -1.0;
  double above = std::ldexp(1.0, to.isSigned() ? to.width - 1 : to.width);
  Value aboveBound = number(b, type, above);
  // For unsigned results (-1, 0) truncates to 0; for signed ones the least value
  // itself may be excluded, since saturation gives it back.
  Value over = arith::CmpFOp::create(b, CmpFPredicate::OGE, x, aboveBound);
  Value under = arith::CmpFOp::create(b, CmpFPredicate::OLE, x, number(b, type, below));
  Value inside = arith::AndIOp::create(b, arith::CmpFOp::create(b, CmpFPredicate::OGT, x, number(b, type, below)),
                                       arith::CmpFOp::create(b, CmpFPredicate::OLT, x, aboveBound));
  Value safe = arith::SelectOp::create(b, inside, x, number(b, type, 0));
  Value converted =
      to.isSigned() ? Value(arith::FPToSIOp::create(b, result, safe)) : Value(arith::FPToUIOp::create(b, result, safe));
  APInt greatest = to.isSigned() ? APInt::getSignedMaxValue(to.width) : APInt::getMaxValue(to.width);
  converted = arith::SelectOp::create(b, over, integer(b, result, greatest), converted);
  if (to.isUnsigned())
    return converted;
  Value least = integer(b, result, APInt::getSignedMinValue(to.width));
  return arith::SelectOp::create(b, under, least, converted);
}

Value integerToFloat(ImplicitLocOpBuilder &b, Value x, ScalarKind from, ScalarKind to) {
  auto plain = [&](Value v, Type element) -> Value {
    Type type = withShapeOf(v.getType(), element);
    if (from.isSigned())
      return arith::SIToFPOp::create(b, type, v);
    return arith::UIToFPOp::create(b, type, v);
  };
  if (to.width >= 32)
    return plain(x, to.getLowered(b.getContext()));
  if (from.width <= 16)
    return buildRoundFromF32(b, plain(x, b.getF32Type()), to);
  if (from.width == 64) {
    // Fold the low 12 bits of numbers that f64 does not hold exactly into one
    // sticky bit; 52 bits are left, and the 16-bit result needs 11 of them.
    Type type = x.getType();
    Value mask = integer(b, type, APInt(64, 0xfff));
    Value lost =
        arith::CmpIOp::create(b, CmpIPredicate::ne, arith::AndIOp::create(b, x, mask), integer(b, type, APInt(64, 0)));
    Value kept = arith::AndIOp::create(b, x, integer(b, type, ~APInt(64, 0xfff)));
    Value sticky = arith::OrIOp::create(b, kept, integer(b, type, APInt(64, 0x800)));
    Value rounded = arith::SelectOp::create(b, lost, sticky, x);
    Value half = integer(b, type, APInt::getOneBitSet(64, 52));
    Value whole = integer(b, type, APInt::getOneBitSet(64, 53));
    // |x| < 2^52 is exact; the sum maps that range to [0, 2^53) unsigned.
    Value exact = from.isSigned()
                      ? arith::CmpIOp::create(b, CmpIPredicate::ult, arith::AddIOp::create(b, x, half), whole)
                      : arith::CmpIOp::create(b, CmpIPredicate::ult, x, whole);
    x = arith::SelectOp::create(b, exact, x, rounded);
  }
  return buildRoundFromF32(b, roundToOdd(b, plain(x, b.getF64Type())), to);
}

Value floatToFloat(ImplicitLocOpBuilder &b, Value x, ScalarKind from, ScalarKind to) {
  if (from.width == 16)
    x = buildExtendToF32(b, x, from);
  Type target = withShapeOf(x.getType(), to.getLowered(b.getContext()));
  unsigned width = from.width == 16 ? 32 : from.width;
  if (to.width == 16)
    return buildRoundFromF32(b, width == 64 ? roundToOdd(b, x) : x, to);
  if (to.width > width)
    return arith::ExtFOp::create(b, target, x);
  if (to.width < width)
    return arith::TruncFOp::create(b, target, x);
  return x;
}

} // namespace

Value burn::ir::buildExtendToF32(ImplicitLocOpBuilder &b, Value x, ScalarKind from) {
  Type target = withShapeOf(x.getType(), b.getF32Type());
  if (!from.isBF16)
    return arith::ExtFOp::create(b, target, x);
  // A bf16 is the upper half of an f32.
  Type full = withShapeOf(x.getType(), b.getI32Type());
  Value bits = arith::ExtUIOp::create(b, full, x);
  bits = arith::ShLIOp::create(b, bits, integer(b, full, APInt(32, 16)));
  return arith::BitcastOp::create(b, target, bits);
}

Value burn::ir::buildRoundFromF32(ImplicitLocOpBuilder &b, Value x, ScalarKind to) {
  Type target = withShapeOf(x.getType(), to.getLowered(b.getContext()));
  if (!to.isBF16)
    return arith::TruncFOp::create(b, target, x);
  // In integers, since the AVX-512 instruction flushes subnormals.
  Type full = withShapeOf(x.getType(), b.getI32Type());
  auto num = [&](uint32_t v) { return integer(b, full, APInt(32, v)); };
  Value bits = arith::BitcastOp::create(b, full, x);
  Value upper = arith::ShRUIOp::create(b, bits, num(16));
  Value bias = arith::AddIOp::create(b, arith::AndIOp::create(b, upper, num(1)), num(0x7fff));
  Value rounded = arith::ShRUIOp::create(b, arith::AddIOp::create(b, bits, bias), num(16));
  Value quiet = arith::OrIOp::create(b, upper, num(0x40));
  Value isNaN = arith::CmpFOp::create(b, CmpFPredicate::UNO, x, x);
  Value result = arith::SelectOp::create(b, isNaN, quiet, rounded);
  return arith::TruncIOp::create(b, target, result);
}

Value ScalarOps::convert(Value x, ScalarKind to) {
  if (kind == to)
    return x;
  if (to.isBool())
    return compare(CompareDirection::NE, x, constant(0, x));
  if (kind.isFloat() && to.isFloat())
    return floatToFloat(b, x, kind, to);
  if (kind.isFloat())
    return floatToInteger(b, kind.width == 16 ? buildExtendToF32(b, x, kind) : x, to);
  if (to.isFloat())
    return integerToFloat(b, x, kind, to);
  Type target = withShapeOf(x.getType(), to.getLowered(b.getContext()));
  if (to.width < kind.width)
    return arith::TruncIOp::create(b, target, x);
  if (to.width == kind.width)
    return x;
  if (kind.isSigned())
    return arith::ExtSIOp::create(b, target, x);
  return arith::ExtUIOp::create(b, target, x);
}

// asin, acos, atan and atan2. The polynomials are minimax fits (Remez exchange in 60
// digits); the bound beside each is its error relative to the function that it
// serves.
#include "dialects/Burn/ScalarPayloadDouble.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

// (asin(x) - x) / x^3 over x^2, for |x| <= 1/2.
constexpr double asinTail32[] = { // 2^-27
    0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bb8p-5, 0x1.8c3e98p-6, 0x1.595bcap-5};
constexpr double asinTail64[] = { // 2^-55
    0x1.555555555539p-3,  0x1.333333336e831p-4, 0x1.6db6db427879ep-5,  0x1.f1c72c39a51a8p-6,
    0x1.6e89f42f11553p-6, 0x1.1c6be2b479d0cp-6, 0x1.c6fdabf456f83p-7,  0x1.8ec39093ba485p-7,
    0x1.abca30ad9d1cp-8,  0x1.3ff85151bef55p-6, -0x1.09d912ab4c05ep-6, 0x1.056f832b79f41p-5};

// (atan(x) - x + x^3 / 3) / x^5 over x^2, for |x| up to tan(pi / 8).
constexpr double atanTail32[] = { // 2^-34
    0x1.999966p-3, -0x1.24861p-3, 0x1.c4ff3p-4, -0x1.5e362ap-4, 0x1.900192p-5};
constexpr double atanTail64[] = { // 2^-59
    0x1.9999999998309p-3,  -0x1.249249238b7b8p-3, 0x1.c71c7130b2cddp-4,  -0x1.745d004238029p-4, 0x1.3b118f5260fc1p-4,
    -0x1.10f07fa68ec3cp-4, 0x1.df4f453b4db96p-5,  -0x1.9dde243c6f109p-5, 0x1.3a5027599e7bcp-5,  -0x1.2a839f0eb5939p-6};

/// quarters pi / 4, for up to 4 quarters.
Double quarterTurns(FloatFormula &m, int quarters) {
  const double high = m.pick(0x1.921fb6p-1, 0x1.921fb54442d18p-1), low = m.pick(-0x1.777a5cp-26, 0x1.1a62633145c07p-55);
  if (quarters != 3)
    return constant(m, quarters * high, quarters * low);
  return m.isF64() ? constant(m, 0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54)
                   : constant(m, 0x1.2d97c8p+1, -0x1.99bc5cp-28);
}

/// What asin and acos share for a = |x|: root and tail such that asin(a) is
/// root + tail where a < 1/2, and acos(a) twice that elsewhere.
struct ArcSine {
  Value small;
  Double root;
};

ArcSine reduceArcSine(FloatFormula &m, Value a) {
  Value small = m.is(CmpFPredicate::OLT, a, 0.5);
  Value half = m.mulAdd(a, m.num(-0.5), m.num(0.5));
  Value square = m.select(small, m.mul(a, a), half);
  Value root = m.sqrt(half);
  Value remainder = m.div(m.mulAdd(m.neg(root), root, half), m.add(root, root));
  remainder = m.select(m.is(CmpFPredicate::OEQ, root, 0.0), root, remainder);
  Value base = m.select(small, a, root);
  Value tail = m.mul(m.mul(base, square), m.polynomial(m.pick(asinTail32, asinTail64), square));
  return {small, {base, m.add(m.select(small, m.num(0), remainder), tail)}};
}

/// atan(numerator / denominator) for 0 <= numerator <= denominator, the quotient
/// far from overflow; `flip` takes it from a multiple of pi / 2 that `offset` tells:
/// 0, 2 or 4 quarters of pi.
Value arcTangent(FloatFormula &m, Value numerator, Value denominator, Value flip,
                 llvm::function_ref<Double(Value)> offset) {
  // Above tan(pi / 8) the angle is pi / 4 less that of (d - n) / (d + n).
  Value upper = m.is(CmpFPredicate::OGT, numerator, m.mul(denominator, m.num(0x1.a827999fcef32p-2)));
  Double difference = exactSum(m, numerator, m.neg(denominator));
  Double total = quickSum(m, denominator, numerator);
  Value zero = m.num(0);
  Double ratio =
      quotient(m, select(m, upper, difference, {numerator, zero}), select(m, upper, total, {denominator, zero}));
  Double square = exactProduct(m, ratio.high, ratio.high);
  Double cube = exactProduct(m, ratio.high, square.high);
  cube.low = m.mulAdd(ratio.high, square.low, cube.low);
  // The cubic term counts enough for its rounding error to matter, the others do not.
  Double third =
      constant(m, m.pick(-0x1.555556p-2, -0x1.5555555555555p-2), m.pick(0x1.555556p-27, -0x1.5555555555555p-56));
  Double cubic = product(m, cube, third);
  Value rest = m.mul(m.mul(cube.high, square.high), m.polynomial(m.pick(atanTail32, atanTail64), square.high));
  // The low part of the ratio changes the angle by 1 / (1 + ratio^2) of it.
  Value low = m.add(cubic.low, m.mulAdd(m.neg(square.high), ratio.low, ratio.low));
  Double angle = quickSum(m, ratio.high, cubic.high);
  low = m.add(angle.low, m.add(low, rest));
  Value sign = m.select(flip, m.num(-1), m.num(1));
  Double turns = offset(upper);
  Double result = quickSum(m, turns.high, m.mul(angle.high, sign));
  return m.add(result.high, m.add(m.add(result.low, turns.low), m.mul(low, sign)));
}

} // namespace

Value burn::ir::buildAsin(FloatFormula &m, Value x) {
  ArcSine reduced = reduceArcSine(m, m.abs(x));
  Double root = reduced.root;
  Double right = quarterTurns(m, 2);
  Double rest = quickSum(m, right.high, m.mul(root.high, m.num(-2)));
  Value far = m.add(rest.high, m.mulAdd(root.low, m.num(-2), m.add(rest.low, right.low)));
  return m.copySign(m.select(reduced.small, collapse(m, root), far), x);
}

Value burn::ir::buildAcos(FloatFormula &m, Value x) {
  ArcSine reduced = reduceArcSine(m, m.abs(x));
  Double root = reduced.root;
  Value negative = m.is(CmpFPredicate::OLT, x, 0.0);
  // pi / 2 - asin(x), or 2 asin(root), or pi less that.
  Value nearZero = reduced.small;
  Double right = quarterTurns(m, 2), straight = quarterTurns(m, 4), none = constant(m, 0, 0);
  Double offset = select(m, nearZero, right, select(m, negative, straight, none));
  Value factor = m.select(nearZero, m.num(1), m.num(2));
  Value backwards = m.select(negative, m.neg(factor), factor);
  factor = m.select(nearZero, m.neg(backwards), backwards);
  Double result = quickSum(m, offset.high, m.mul(root.high, factor));
  return m.add(result.high, m.mulAdd(root.low, factor, m.add(result.low, offset.low)));
}

Value burn::ir::buildAtan(FloatFormula &m, Value x) {
  // Far out the angle is pi / 2 long before the bound.
  Value a = m.atMost(m.abs(x), 0x1p100);
  Value one = m.num(1);
  Value beyond = m.is(CmpFPredicate::OGT, a, 1.0);
  Value numerator = m.select(beyond, one, a), denominator = m.select(beyond, a, one);
  Double right = quarterTurns(m, 2), eighth = quarterTurns(m, 1), none = constant(m, 0, 0);
  Value result = arcTangent(m, numerator, denominator, beyond,
                            [&](Value upper) { return select(m, upper, eighth, select(m, beyond, right, none)); });
  return m.copySign(result, x);
}

Value burn::ir::buildAtan2(FloatFormula &m, Value y, Value x) {
  Value absX = m.abs(x), absY = m.abs(y);
  Value steep = m.is(CmpFPredicate::OGT, absY, absX);
  Value numerator = m.select(steep, absX, absY), denominator = m.select(steep, absY, absX);
  // 0 / 0 counts as 0 / 1, infinity / infinity as 1 / 1, and others / infinity as 0 / 1.
  Value one = m.num(1), zero = m.num(0);
  Value endless = m.is(CmpFPredicate::OEQ, denominator, m.infinity);
  Value both = m.is(CmpFPredicate::OEQ, numerator, m.infinity);
  numerator = m.select(endless, m.select(both, one, zero), numerator);
  Value simple = m.either(endless, m.is(CmpFPredicate::OEQ, denominator, 0.0));
  denominator = m.select(simple, one, denominator);
  // Neither the sum nor the reciprocal may leave the range, nor the rounding error of a
  // quotient that is no subnormal number itself.
  Value down = m.is(CmpFPredicate::OGT, denominator, m.pick(0x1p100, 0x1p900));
  Value up = m.is(CmpFPredicate::OLT, denominator, 1.0);
  Value factor = m.select(down, m.num(m.pick(0x1p-50, 0x1p-200)), m.select(up, m.num(m.pick(0x1p60, 0x1p200)), one));
  numerator = m.mul(numerator, factor);
  denominator = m.mul(denominator, factor);

  Value left = m.opposite(m.bitsEqual(m.bitsAnd(m.toBits(x), m.signMask()), 0));
  Double turns[5];
  for (int quarters = 0; quarters <= 4; ++quarters)
    turns[quarters] = quarterTurns(m, quarters);
  Value flip = m.select(steep, m.opposite(left), left);
  // Where the angle is the quotient alone, and so small that its rounding error would
  // vanish, both are moved up.
  Value tiny = m.is(CmpFPredicate::OLT, numerator, m.mul(denominator, m.num(m.pick(0x1p-70, 0x1p-200))));
  tiny = m.both(tiny, m.opposite(m.either(steep, left)));
  numerator = m.mul(numerator, m.select(tiny, m.num(m.pick(0x1p40, 0x1p100)), one));
  Value result = arcTangent(m, numerator, denominator, flip, [&](Value upper) {
    Double offset = select(m, steep, turns[2], select(m, left, turns[4], turns[0]));
    Double moved = select(m, left, turns[3], turns[1]);
    return select(m, upper, moved, offset);
  });
  result = m.mul(result, m.select(tiny, m.num(m.pick(0x1p-40, 0x1p-100)), one));
  result = m.copySign(result, y);
  return m.select(m.is(CmpFPredicate::UNO, x, y), m.add(x, y), result);
}

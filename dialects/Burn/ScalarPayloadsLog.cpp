// log, log1p, pow and rsqrt. The polynomials are minimax fits (Remez exchange in
// 60 digits); the bound beside each is its error relative to the function that it
// serves.
#include "dialects/Burn/ScalarPayloadDouble.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

// (log(1 + f) - f + f^2 / 2) / f^3.
constexpr double logTail32[] = { // 2^-30
    0x1.555548p-2,  -0x1.000006p-2, 0x1.99a4cap-3,  -0x1.555c66p-3, 0x1.2335b0p-3,
    -0x1.fc1be8p-4, 0x1.e705acp-4,  -0x1.de6e00p-4, 0x1.146472p-4};
// (log((1 + s) / (1 - s)) - 2 s) / s^3 over s^2.
constexpr double logTail64[] = { // 2^-59
    0x1.5555555555593p-1, 0x1.999999997fc94p-2, 0x1.249249420284cp-2, 0x1.c71c51fa4ee96p-3,
    0x1.7466422d4a60cp-3, 0x1.39a161f3c3660p-3, 0x1.2f090c8145f8bp-3};

// log2((1 + s) / (1 - s)) / s over s^2, for f32 pow.
constexpr double log2Of32[] = { // 2^-37
    0x1.71547652bee21p+1, 0x1.ec709d1291cddp-1, 0x1.27778019ca573p-1, 0x1.a58d705658d56p-2, 0x1.5cea2f6fc1947p-2};
// 2^r for |r| <= 1/2, for f32 pow.
constexpr double exp2Of32[] = { // 2^-29
    0x1.ffffffff4dce7p-1, 0x1.62e430d09bd49p-1,  0x1.ebfbe10e7985cp-3, 0x1.c6aecbe832a7ep-5,
    0x1.3b2995be16786p-7, 0x1.5f48fc1381453p-10, 0x1.449924b8f6939p-13};

// (log((1 + s) / (1 - s)) / 2s - 1 - s^2 / 3) / s^4 over s^2, for f64 pow.
constexpr double powLogTail[] = { // 2^-73
    0x1.9999999999996p-3, 0x1.249249249303dp-3, 0x1.c71c71c57f6fap-4, 0x1.745d1832c9d67p-4,
    0x1.3b13629654f8bp-4, 0x1.1120ba64e0149p-4, 0x1.de32af5725dcbp-5, 0x1.eb176bb2b0828p-5};
// (2^r - 1 - r ln2) / r^2 for |r| <= 1/2, for f64 pow.
constexpr double powExpTail[] = { // 2^-58
    0x1.ebfbdff82c5a5p-3,  0x1.c6b08d704a0cfp-5,  0x1.3b2ab6fb9fea2p-7,  0x1.5d87fe78a1ad1p-10, 0x1.4309130f5e11dp-13,
    0x1.ffcbfc79d51e3p-17, 0x1.62bfc6436ef12p-20, 0x1.b524d1771f768p-24, 0x1.e61db1f229763p-28, 0x1.ea145de0d9d36p-32};

constexpr double ln2High32 = 0x1.62e430p-1, ln2Low32 = -0x1.05c610p-29;
constexpr double ln2High64 = 0x1.62e42fefa39efp-1, ln2Low64 = 0x1.abc9e3b39803fp-56;

/// log2(x) to about 37 bits, in f64 for x from f32.
Value log2InF64(FloatFormula &m, Value x) {
  FloatFormula::LogReduction reduced = m.reduceLog(x);
  Value k = m.smallToFloat(reduced.biasedK, m.num(m.smallToFloatOffset()));
  Value s = m.div(reduced.f, m.add(reduced.f, m.num(2)));
  return m.mulAdd(s, m.polynomial(log2Of32, m.mul(s, s)), k);
}

/// |x|^y for f32, from an f64 evaluation; no special values but 0, 1 and infinity of x.
Value powMagnitude32(FloatFormula &narrow, Value x, Value y) {
  ImplicitLocOpBuilder &b = narrow.b;
  FloatFormula m(b, withShapeOf(narrow.type, b.getF64Type()));
  Value wideX = arith::ExtFOp::create(b, m.type, x);
  Value wideY = arith::ExtFOp::create(b, m.type, y);
  Value log2 = fixLog(m, wideX, log2InF64(m, wideX));
  Value t = m.mul(wideY, log2);
  // 0 * infinity would be NaN; 1^y and x^0 are 1.
  Value zero = m.either(m.is(CmpFPredicate::OEQ, log2, 0.0), m.is(CmpFPredicate::OEQ, wideY, 0.0));
  t = m.select(zero, m.num(0), t);
  t = m.atMost(m.atLeast(t, -200), 200);
  Value magic = m.num(0x1.8p52);
  Value shifted = m.add(t, magic);
  Value r = m.sub(t, m.sub(shifted, magic));
  Value exponent = m.bitsAdd(m.toBits(shifted), m.bias() - 0x4338000000000000);
  Value result = m.mul(m.polynomial(exp2Of32, r), m.powerOfTwo(exponent));
  return arith::TruncFOp::create(b, narrow.type, result);
}

/// log2 of a positive x as the sum of two f64, to about 68 bits.
Double log2InTwoF64(FloatFormula &m, Value x) {
  auto [normal, offset] = m.normalize(x);
  FloatFormula::LogReduction reduced = m.reduceLog(normal);
  Value k = m.smallToFloat(reduced.biasedK, offset);
  // s = f / (2 + f), with the rounding errors of the sum and of the quotient.
  Value f = reduced.f;
  Value two = m.num(2);
  Value denominator = m.add(two, f);
  Value denominatorLow = m.add(m.sub(two, denominator), f);
  Value reciprocal = m.div(m.num(1), denominator);
  Value s = m.mul(f, reciprocal);
  Value negS = m.neg(s);
  Value remainder = m.mulAdd(negS, denominatorLow, m.mulAdd(negS, denominator, f));
  Double quotient = {s, m.mul(remainder, reciprocal)};

  Double square = product(m, quotient, quotient);
  Value tail = m.mul(square.high, m.polynomial(powLogTail, square.high));
  Double third = sum(m, m.num(0x1.5555555555555p-2), {tail, m.num(0x1.5555555555555p-56)});
  Double series = sum(m, m.num(1), product(m, square, third));
  Double log = product(m, quotient, series);
  log = product(m, log, constant(m, 0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55));
  return sum(m, k, log);
}

/// x^y for positive x in f64; no special values but 0, 1 and infinity of x.
Value powMagnitude64(FloatFormula &m, Value x, Value y) {
  Double log2 = log2InTwoF64(m, x);
  log2.high = fixLog(m, x, log2.high);
  Double t = exactProduct(m, y, log2.high);
  t.low = m.mulAdd(y, log2.low, t.low);
  Value zero = m.either(m.is(CmpFPredicate::OEQ, log2.high, 0.0), m.is(CmpFPredicate::OEQ, y, 0.0));
  Value high = m.select(zero, m.num(0), t.high);
  // Where the result is 0 or infinity anyway, the low part may be NaN.
  Value inside = m.is(CmpFPredicate::OLT, m.abs(high), 1100.0);
  Value low = m.select(inside, t.low, m.num(0));
  low = m.select(zero, m.num(0), low);
  high = m.atMost(m.atLeast(high, -1100.0), 1100.0);

  Value magic = m.num(0x1.8p52);
  Value shifted = m.add(high, magic);
  Value r = m.add(m.sub(high, m.sub(shifted, magic)), low);
  Value tail = m.mulAdd(m.mul(r, r), m.polynomial(powExpTail, r), m.mul(r, m.num(ln2High64)));
  Value biasedTwice = m.bitsAdd(m.toBits(shifted), 2 * m.bias() - 0x4338000000000000);
  return m.scale(m.add(tail, m.num(1)), biasedTwice);
}

} // namespace

FloatFormula::LogReduction FloatFormula::reduceLog(Value x) {
  // Moving the bits by the distance from sqrt(1/2) to 1 makes the exponent field
  // count from sqrt(1/2); the field is read with a logical shift, since AVX2 has
  // no arithmetic one for 64 bits.
  const int64_t one = wide ? 0x3ff0000000000000 : 0x3f800000;
  const int64_t root = wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  Value moved = bitsAdd(toBits(x), one - root);
  Value biasedK = bitsShiftRight(moved, bitsNum(significandBits()));
  Value mantissa = bitsAnd(moved, (int64_t(1) << significandBits()) - 1);
  return {biasedK, sub(fromBits(bitsAdd(mantissa, root)), num(1))};
}

Value FloatFormula::smallToFloat(Value integer, Value offset) {
  // Placed in the low bits of 2^p, the integer needs no conversion instruction,
  // which AVX2 lacks for 64 bits.
  const int64_t unit = wide ? 0x4330000000000000 : 0x4b000000;
  return sub(fromBits(bitsOr(integer, bitsNum(unit))), offset);
}

std::pair<Value, Value> FloatFormula::normalize(Value x) {
  Value tiny = is(CmpFPredicate::OLT, x, wide ? 0x1p-1022 : 0x1p-126);
  double up = significandBits() + 1;
  Value scaled = mul(x, num(wide ? 0x1p53 : 0x1p24));
  Value offset = select(tiny, num(smallToFloatOffset() + up), num(smallToFloatOffset()));
  return {select(tiny, scaled, x), offset};
}

Value FloatFormula::logTail(Value f, Value halfSquare) {
  if (!wide)
    return mul(mul(f, mul(f, f)), polynomial(logTail32, f));
  // log(1 + f) = 2 s + s R with f = 2 s + s f, and s f = f^2 / 2 - s f^2 / 2.
  Value s = div(f, add(f, num(2)));
  Value square = mul(s, s);
  return mul(s, add(halfSquare, mul(square, polynomial(logTail64, square))));
}

Value FloatFormula::logReduced(Value k, Value f) {
  Value halfSquare = mul(mul(f, f), num(0.5));
  Value tail = mulAdd(k, num(pick(ln2Low32, ln2Low64)), logTail(f, halfSquare));
  if (!wide)
    return mulAdd(k, num(ln2High32), add(f, sub(tail, halfSquare)));
  return mulAdd(k, num(ln2High64), sub(f, sub(halfSquare, tail)));
}

Double burn::ir::log1pOf(FloatFormula &m, Double f) {
  // f - f^2 / 2 without error, and the rest.
  Double half = exactProduct(m, f.high, m.mul(f.high, m.num(0.5)));
  Double lead = quickSum(m, f.high, m.neg(half.high));
  Value low = m.sub(lead.low, half.low);
  low = m.add(low, m.mulAdd(m.neg(f.high), f.low, f.low));
  return {lead.high, m.add(low, m.logTail(f.high, half.high))};
}

/// log + k ln2.
static Double withPowersOfTwo(FloatFormula &m, Double log, Value k) {
  // The product with the short upper part of ln2 is exact.
  Double result = sum(m, m.mul(k, m.num(m.pick(0x1.62e4p-1, 0x1.62e42fefa38p-1))), log);
  result.low = m.mulAdd(k, m.num(m.pick(0x1.7f7d1cp-20, 0x1.ef35793c7673p-45)), result.low);
  return result;
}

Double burn::ir::logOf(FloatFormula &m, Value x) {
  auto [normal, offset] = m.normalize(x);
  FloatFormula::LogReduction reduced = m.reduceLog(normal);
  return withPowersOfTwo(m, log1pOf(m, {reduced.f, m.num(0)}), m.smallToFloat(reduced.biasedK, offset));
}

Double burn::ir::logOf(FloatFormula &m, Double x, Value powers) {
  FloatFormula::LogReduction reduced = m.reduceLog(x.high);
  Value k = m.add(m.smallToFloat(reduced.biasedK, m.num(m.smallToFloatOffset())), powers);
  Value inverse = m.powerOfTwo(m.bitsMinus(m.bitsNum(2 * m.bias()), reduced.biasedK));
  return withPowersOfTwo(m, log1pOf(m, exactSum(m, reduced.f, m.mul(x.low, inverse))), k);
}

Value burn::ir::fixLog(FloatFormula &m, Value x, Value result) {
  Value pole = m.select(m.is(CmpFPredicate::OEQ, x, 0.0), m.num(-m.infinity), m.num(m.notANumber));
  result = m.select(m.is(CmpFPredicate::OGT, x, 0.0), result, pole);
  return m.select(m.is(CmpFPredicate::OEQ, x, m.infinity), x, result);
}

Value burn::ir::buildLog(FloatFormula &m, Value x) {
  auto [normal, offset] = m.normalize(x);
  FloatFormula::LogReduction reduced = m.reduceLog(normal);
  Value k = m.smallToFloat(reduced.biasedK, offset);
  return fixLog(m, x, m.logReduced(k, reduced.f));
}

Value burn::ir::buildLog1p(FloatFormula &m, Value x) {
  // With 2^k near 1 + x, f = 2^-k (1 + x) - 1 = 2^-k x + (2^-k - 1) is rounded
  // once, so the bits of x that 1 + x drops still count.
  Value one = m.num(1);
  Value sum = m.add(x, one);
  FloatFormula::LogReduction reduced = m.reduceLog(sum);
  Value k = m.smallToFloat(reduced.biasedK, m.num(m.smallToFloatOffset()));
  Value inverse = m.powerOfTwo(m.bitsMinus(m.bitsNum(2 * m.bias()), reduced.biasedK));
  Value f = m.mulAdd(inverse, x, m.sub(inverse, one));
  // Far out 1 + x is x, and 2^-k could be subnormal.
  Value far = m.is(CmpFPredicate::OGT, x, m.isF64() ? 0x1p60 : 0x1p30);
  Value result = fixLog(m, sum, m.logReduced(k, m.select(far, reduced.f, f)));
  return m.select(m.is(CmpFPredicate::OEQ, x, 0.0), x, result);
}

Value burn::ir::buildRsqrt(FloatFormula &m, Value x) {
  // One Newton step on 1 / sqrt(x) with an exact residual 1 - x r^2; sqrt and
  // division alone leave up to 1.5 ulp.
  Value r = m.div(m.num(1), m.sqrt(x));
  Double y = exactProduct(m, x, r);
  Value residual = m.mulAdd(m.neg(y.high), r, m.num(1));
  residual = m.mulAdd(m.neg(y.low), r, residual);
  Value refined = m.mulAdd(m.mul(r, m.num(0.5)), residual, r);
  // Zeros and infinities give a NaN residual, and r is right already.
  Value finite = m.is(CmpFPredicate::OLT, m.abs(residual), 1.0);
  return m.select(finite, refined, r);
}

Value burn::ir::buildPow(FloatFormula &m, Value x, Value y) {
  Value magnitude = m.abs(x);
  Value result = m.isF64() ? powMagnitude64(m, magnitude, y) : powMagnitude32(m, magnitude, y);

  auto isInteger = [&](Value v) -> Value { return m.is(CmpFPredicate::OEQ, m.floor(v), v); };
  Value integer = isInteger(y);
  Value zero = m.bitsNum(0);
  Value evenOrNot = isInteger(m.mul(y, m.num(0.5)));
  // An odd exponent passes the sign of x on.
  Value sign = m.select(evenOrNot, zero, m.bitsAnd(m.toBits(x), m.signMask()));
  sign = m.select(integer, sign, zero);
  result = m.fromBits(m.bitsXor(m.toBits(result), sign));
  // A finite negative base has no other real powers.
  Value undefined = m.both(m.is(CmpFPredicate::OLT, x, 0.0), m.is(CmpFPredicate::OGT, x, -m.infinity));
  Value broken = m.select(integer, result, m.num(m.notANumber));
  return m.select(undefined, broken, result);
}

// exp, expm1, tanh, erf and logistic. The polynomials are minimax fits (Remez
// exchange in 60 digits); the bound beside each is its error relative to the
// function that it serves.
#include "dialects/Burn/ScalarPayloadDouble.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

// (exp(r) - 1 - r) / r^2 for |r| <= ln2 / 2.
constexpr double expTail32[] = { // 2^-28
    0x1.0p-1, 0x1.55548cp-3, 0x1.55545cp-5, 0x1.123ce2p-7, 0x1.6db616p-10};
constexpr double expTail64[] = { // 2^-58
    0x1.000000000000cp-1,  0x1.5555555555562p-3,  0x1.555555554fe7ep-5,  0x1.111111110d42dp-7,  0x1.6c16c1860a991p-10,
    0x1.a01a01bb858d8p-13, 0x1.a019957bebd86p-16, 0x1.71ddde7904edap-19, 0x1.28b1544ba443bp-22, 0x1.af87811f80ea4p-26};

// (tanh(x) - x) / x^3 over x^2, for |x| <= 0.625.
constexpr double tanhTail32[] = { // 2^-27
    -0x1.555532p-2, 0x1.11070cp-3, -0x1.b8387ep-5, 0x1.520c02p-6, -0x1.756518p-8};
constexpr double tanhTail64[] = { // 2^-61
    -0x1.5555555555552p-2,  0x1.1111111110bd9p-3,  -0x1.ba1ba1b9cc1f8p-5,  0x1.664f486fbaf10p-6,
    -0x1.226e32b1cdf93p-7,  0x1.d6d355ebe871bp-9,  -0x1.7d9bfe76b7170p-10, 0x1.3509d8260c24fp-11,
    -0x1.f100fcc14c0d7p-13, 0x1.7fdc45cf105bbp-14, -0x1.f9ca20ea2b8b9p-16, 0x1.944fc25f16fecp-18};

// erf(x) / x - 1 over x^2, for |x| up to the split.
constexpr double erfSplit32 = 0.9375, erfSplit64 = 1.0;
constexpr double erfSmall32[] = { // 2^-25
    0x1.06eba6p-3, -0x1.8126d2p-2, 0x1.ce1730p-4, -0x1.b65c7ap-6, 0x1.46297cp-8, -0x1.35bf46p-11};
constexpr double erfSmall64[] = { // 2^-62
    0x1.06eba8214db69p-3,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b1dp-4,  -0x1.b82ce31284868p-6,
    0x1.565bcd0dad169p-8,  -0x1.c02db3d857dcbp-11, 0x1.f9a3218f5a0aap-14, -0x1.f4d1ddd65cda5p-17,
    0x1.b9dedf326d83bp-20, -0x1.5f1c95905ac94p-23, 0x1.f79d195a88ae5p-27, -0x1.3854a077c7b06p-30,
    0x1.053c574f5b535p-34};

// -log(1 - erf(split + v)), up to where erf rounds to 1.
constexpr double erfEnd32 = 4.0, erfEnd64 = 6.0;
constexpr double erfLarge32[] = { // 2^-29
    0x1.b01db2p+0, 0x1.445c94p+1, 0x1.ab906cp-1, 0x1.692798p-5, -0x1.58eccep-7, 0x1.f99230p-10, -0x1.94a554p-13};
constexpr double erfLarge64[] = { // 2^-59
    0x1.d97fbf27aa2a1p+0,   0x1.51c9b0006c236p+1,   0x1.afabc11a295f4p-1,   0x1.5477f09c03683p-5,
    -0x1.48c9d3eb1de90p-7,  0x1.033f65b004de2p-9,   -0x1.f1b3897943af0p-13, -0x1.b8de9db354475p-16,
    0x1.c7a7813c651a2p-16,  -0x1.426bd9dda3151p-17, 0x1.14755f9432903p-19,  -0x1.32d4d16ba4777p-23,
    -0x1.a2f3690bd74b8p-24, 0x1.befd83236f921p-25,  -0x1.002b2d23fd624p-26, 0x1.899d72edc6387p-29,
    -0x1.94df8b65f899ep-32, 0x1.fae62f7752edap-36,  -0x1.2475fc89430c1p-40};

} // namespace

FloatFormula::ExpReduction FloatFormula::reduceExp(Value x) {
  // Adding 1.5 * 2^p leaves the nearest integer to x / ln2 in the low bits of the
  // sum: no conversion, which would be undefined for NaN.
  const double magic = wide ? 0x1.8p52 : 0x1.8p23;
  const int64_t magicBits = wide ? 0x4338000000000000 : 0x4b400000;
  const double ln2High = wide ? 0x1.62e42ffp-1 : 0x1.62e4p-1;
  const double ln2Low = wide ? -0x1.718432a1b0e26p-35 : 0x1.7f7d1cp-20;
  Value shifted = mulAdd(x, num(0x1.71547652b82fep+0), num(magic));
  Value n = sub(shifted, num(magic));
  // The first difference is exact; its small correction is kept apart.
  Value high = mulAdd(n, num(-ln2High), x);
  Value low = mul(n, num(-ln2Low));
  return {high, low, bitsAdd(toBits(shifted), 2 * bias() - magicBits)};
}

Value FloatFormula::expm1Reduced(const ExpReduction &reduced) {
  Value r = add(reduced.high, reduced.low);
  Value tail = polynomial(pick(expTail32, expTail64), r);
  return add(reduced.high, mulAdd(mul(r, r), tail, reduced.low));
}

Value FloatFormula::scale(Value x, Value biasedTwice) {
  // Two factors, since 2^n alone may lie outside the normal range. The first
  // product is exact, so a subnormal result is rounded once.
  Value half = bitsShiftRight(biasedTwice, bitsNum(1));
  Value rest = bitsMinus(biasedTwice, half);
  return mul(mul(x, powerOfTwo(half)), powerOfTwo(rest));
}

Value FloatFormula::exp(Value x) {
  // Beyond the bounds the result is 0 or infinity already.
  Value bounded = wide ? atMost(atLeast(x, -746.0), 710.0) : atMost(atLeast(x, -104.0), 89.0);
  ExpReduction reduced = reduceExp(bounded);
  return scale(add(expm1Reduced(reduced), num(1)), reduced.biasedTwice);
}

Value FloatFormula::expInRange(Value x) {
  ExpReduction reduced = reduceExp(x);
  Value factor = powerOfTwo(bitsAdd(reduced.biasedTwice, -bias()));
  return mulAdd(expm1Reduced(reduced), factor, factor);
}

ScaledDouble burn::ir::expOf(FloatFormula &m, Double x) {
  FloatFormula::ExpReduction reduced = m.reduceExp(x.high);
  Value low = m.add(reduced.low, x.low);
  Value r = m.add(reduced.high, low);
  Value tail = m.polynomial(m.pick(expTail32, expTail64), r);
  Double value = quickSum(m, m.num(1), reduced.high);
  value.low = m.add(value.low, m.mulAdd(m.mul(r, r), tail, low));
  return {quickSum(m, value.high, value.low), reduced.biasedTwice};
}

Value burn::ir::buildExpm1(FloatFormula &m, Value x) {
  // 2^n (p + 1) - 1 = 2 (2^(n-1) p + (2^(n-1) - 1/2)): half the power of two stays
  // finite up to the overflow threshold.
  Value bounded = m.isF64() ? m.atMost(m.atLeast(x, -50.0), 710.0) : m.atMost(m.atLeast(x, -30.0), 89.0);
  FloatFormula::ExpReduction reduced = m.reduceExp(bounded);
  Value half = m.powerOfTwo(m.bitsAdd(reduced.biasedTwice, -m.bias() - 1));
  Value result = m.mulAdd(m.expm1Reduced(reduced), half, m.sub(half, m.num(0.5)));
  result = m.add(result, result);
  // Tiny x is its own result; halving it could lose bits, and -0 its sign.
  Value tiny = m.is(CmpFPredicate::OLT, m.abs(x), m.isF64() ? 0x1p-54 : 0x1p-25);
  return m.select(tiny, x, result);
}

Value burn::ir::buildLogistic(FloatFormula &m, Value x) {
  // With e = exp(-|x|), which never overflows: 1 - e / (1 + e), or for negative x
  // e - e (e / (1 + e)), where the error of the quotient hardly counts.
  Value e = m.exp(m.neg(m.abs(x)));
  Value one = m.num(1);
  Value quotient = m.div(e, m.add(e, one));
  Value lower = m.mulAdd(m.neg(e), quotient, e);
  return m.select(m.is(CmpFPredicate::OLT, x, 0.0), lower, m.sub(one, quotient));
}

Value burn::ir::buildTanh(FloatFormula &m, Value x) {
  Value a = m.abs(x);
  Value square = m.mul(a, a);
  Value tail = m.polynomial(m.pick(tanhTail32, tanhTail64), square);
  Value small = m.mulAdd(m.mul(square, tail), a, a);
  // 1 - 2 / (exp(2a) + 1), which is 1 from the bound on.
  Value bounded = m.atMost(a, m.isF64() ? 20.0 : 10.0);
  Value one = m.num(1);
  Value e = m.expInRange(m.add(bounded, bounded));
  Value large = m.sub(one, m.div(m.num(2), m.add(e, one)));
  return m.copySign(m.select(m.is(CmpFPredicate::OLT, a, 0.625), small, large), x);
}

Value burn::ir::erfSeries(FloatFormula &m, Value square) {
  return m.polynomial(m.pick(erfSmall32, erfSmall64), square);
}

Value burn::ir::buildErf(FloatFormula &m, Value x) {
  double split = m.isF64() ? erfSplit64 : erfSplit32;
  Value a = m.abs(x);
  Value small = m.mulAdd(erfSeries(m, m.mul(a, a)), a, a);
  // Centred on the split, where the accuracy of the exponent counts the most.
  Value v = m.sub(m.atMost(a, m.isF64() ? erfEnd64 : erfEnd32), m.num(split));
  Value exponent = m.polynomial(m.pick(erfLarge32, erfLarge64), v);
  Value large = m.sub(m.num(1), m.expInRange(m.neg(exponent)));
  return m.copySign(m.select(m.is(CmpFPredicate::OLT, a, split), small, large), x);
}

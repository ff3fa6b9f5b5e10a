// sinh, cosh, asinh, acosh and atanh. The polynomials are minimax fits (Remez
// exchange in 60 digits); the bound beside each is its error relative to the
// function that it serves.
#include "dialects/Burn/ScalarPayloadDouble.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

// (sinh(x) - x) / x^3 over x^2, for |x| <= 1.
constexpr double sinhTail32[] = { // 2^-31
    0x1.555556p-3, 0x1.1110ep-7, 0x1.a022bcp-13, 0x1.756c1ep-19};
constexpr double sinhTail64[] = { // 2^-61
    0x1.5555555555556p-3,  0x1.111111111101ep-7,  0x1.a01a01a03726ap-13, 0x1.71de3a3b0696ap-19,
    0x1.ae646ff5492b3p-26, 0x1.6116f4792f03bp-33, 0x1.b5c8a8616da65p-41};
// (atanh(x) - x) / x^3 over x^2, for |x| <= 1/2.
constexpr double atanhTail32[] = { // 2^-29
    0x1.55554p-2, 0x1.99a676p-3, 0x1.234d98p-3, 0x1.e4000ap-4, 0x1.a6bb94p-5, 0x1.693a3ep-3};
constexpr double atanhTail64[] = { // 2^-60
    0x1.555555555554cp-2,  0x1.999999999b3b8p-3, 0x1.24924923c5b32p-3,  0x1.c71c722c331f4p-4, 0x1.745d087eba8b8p-4,
    0x1.3b151637b3e17p-4,  0x1.10fa2bb025432p-4, 0x1.e3f096a4127e1p-5,  0x1.9e552308a07f9p-5, 0x1.e807e7d6ea962p-5,
    -0x1.5ebfd08f7682ap-8, 0x1.66466ff6066fp-3,  -0x1.91873ae306bd8p-3, 0x1.edae18697cfebp-3};

/// x + tail x^3 over x^2.
Value oddSeries(FloatFormula &m, Value x, ArrayRef<double> tail) {
  Value square = m.mul(x, x);
  return m.mulAdd(m.mul(x, square), m.polynomial(tail, square), x);
}

/// (exp(a) + sign exp(-a)) / 2 for a >= 0, overflow included.
Value halfSumOfExps(FloatFormula &m, Value a, double sign) {
  // exp(a) = 2^n e, and exp(-a) = 2^-n / e = 2^n (2^-2n / e), which counts for small n only.
  ScaledDouble e = expOf(m, {m.atMost(a, m.pick(90, 711)), m.num(0)});
  Value inverse = m.div(m.num(sign), e.value.high);
  inverse = m.mulAdd(m.mul(inverse, m.neg(inverse)), m.mul(e.value.low, m.num(sign)), inverse);
  Value counts = m.bitsBelow(e.biasedTwice, m.bitsNum(2 * m.bias() + 40));
  Value power = m.powerOfTwo(m.bitsMinus(m.bitsNum(5 * m.bias()), m.bitsPlus(e.biasedTwice, e.biasedTwice)));
  Double other = exactProduct(m, inverse, m.select(counts, power, m.num(0)));
  Double result = quickSum(m, e.value.high, other.high);
  Value sum = m.add(result.high, m.add(result.low, m.add(e.value.low, other.low)));
  return m.scale(sum, m.bitsAdd(e.biasedTwice, -1));
}

/// sqrt(x) for x that is a zero or normal.
Double rootOf(FloatFormula &m, Double x) {
  Value root = m.sqrt(x.high);
  Value remainder = m.add(m.mulAdd(m.neg(root), root, x.high), x.low);
  Value low = m.div(remainder, m.add(root, root));
  return {root, m.select(m.is(CmpFPredicate::OEQ, root, 0.0), root, low)};
}

/// log(a + sqrt(a^2 + shift)) for a >= 0, shift 1 or -1.
Value logOfRootSum(FloatFormula &m, Value a, double shift) {
  // Far out the root is a, and their sum four halves of it.
  Value far = m.is(CmpFPredicate::OGT, a, m.pick(0x1p14, 0x1p28));
  Double square = exactProduct(m, a, a);
  Double shifted = exactSum(m, square.high, m.num(shift));
  shifted = quickSum(m, shifted.high, m.add(shifted.low, square.low));
  Double root = rootOf(m, shifted);
  Double total = exactSum(m, a, root.high);
  total = quickSum(m, total.high, m.add(total.low, root.low));
  Value zero = m.num(0);
  total = select(m, far, {m.mul(a, m.num(0.5)), zero}, total);
  return collapse(m, logOf(m, total, m.select(far, m.num(2), zero)));
}

} // namespace

Value burn::ir::buildSinh(FloatFormula &m, Value x) {
  Value a = m.abs(x);
  Value small = oddSeries(m, a, m.pick(sinhTail32, sinhTail64));
  return m.copySign(m.select(m.is(CmpFPredicate::OLT, a, 1.0), small, halfSumOfExps(m, a, -1)), x);
}

Value burn::ir::buildCosh(FloatFormula &m, Value x) { return halfSumOfExps(m, m.abs(x), 1); }

Value burn::ir::buildAsinh(FloatFormula &m, Value x) {
  Value a = m.abs(x);
  Value result = logOfRootSum(m, a, 1);
  // Below, the cubic term does not count, and the sums could lose bits.
  result = m.select(m.is(CmpFPredicate::OLT, a, m.pick(0x1p-13, 0x1p-28)), a, result);
  result = m.select(m.is(CmpFPredicate::ULT, a, m.infinity), result, a);
  return m.copySign(result, x);
}

Value burn::ir::buildAcosh(FloatFormula &m, Value x) {
  Value result = logOfRootSum(m, x, -1);
  Value outside = m.is(CmpFPredicate::ULT, x, 1.0);
  result = m.select(outside, m.num(m.notANumber), result);
  return m.select(m.is(CmpFPredicate::OEQ, x, m.infinity), x, result);
}

Value burn::ir::buildAtanh(FloatFormula &m, Value x) {
  Value a = m.abs(x);
  Value small = oddSeries(m, a, m.pick(atanhTail32, atanhTail64));
  // log((1 + a) / (1 - a)) / 2; the difference is exact there.
  Value one = m.num(1), half = m.num(0.5);
  Value inside = m.atMost(m.atLeast(a, 0.5), 1 - m.pick(0x1p-24, 0x1p-53));
  Double ratio = quotient(m, quickSum(m, one, inside), {m.sub(one, inside), m.num(0)});
  ratio = quickSum(m, ratio.high, ratio.low);
  Value large = m.mul(collapse(m, logOf(m, ratio, m.num(0))), half);
  Value outer = m.select(m.is(CmpFPredicate::OEQ, a, 1.0), m.num(m.infinity), m.num(m.notANumber));
  large = m.select(m.is(CmpFPredicate::OLT, a, 1.0), large, outer);
  return m.copySign(m.select(m.is(CmpFPredicate::OLT, a, 0.5), small, large), x);
}

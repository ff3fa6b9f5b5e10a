// exp2, log2, log10, cbrt, hypot and integer powers. The polynomials are minimax fits
// (Remez exchange in 60 digits); the bound beside each is its error relative to the
// function that it serves.
#include "dialects/Burn/ScalarPayloadDouble.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

// (2^r - 1 - r ln2) / r^2 for |r| <= 1/2.
constexpr double exp2Tail32[] = { // 2^-31
    0x1.ebfbep-3, 0x1.c6b06ep-5, 0x1.3b2a56p-7, 0x1.5db5b4p-10, 0x1.441526p-13, 0x1.c2f5e2p-17};
constexpr double exp2Tail64[] = { // 2^-58
    0x1.ebfbdff82c5a5p-3,  0x1.c6b08d704a0cfp-5,  0x1.3b2ab6fb9fea2p-7,  0x1.5d87fe78a1ad1p-10, 0x1.4309130f5e11dp-13,
    0x1.ffcbfc79d51e3p-17, 0x1.62bfc6436ef12p-20, 0x1.b524d1771f768p-24, 0x1.e61db1f229763p-28, 0x1.ea145de0d9d36p-32};

// x^(-1/3) for x in [1, 2].
constexpr double inverseCubeRoot32[] = { // 2^-11
    0x1.8ab91ep+0, -0x1.9eb336p-1, 0x1.45624ep-2, -0x1.9915aep-5};
constexpr double inverseCubeRoot64[] = { // 2^-14
    0x1.ab858p+0, -0x1.2c41bap+0, 0x1.641602p-1, -0x1.c517d4p-3, 0x1.d46ebcp-6};

/// log(x) times `factor`, plus k times `unit` for the power of two of x.
Value logToBase(FloatFormula &m, Value x, Double factor, Double unit) {
  auto [normal, offset] = m.normalize(x);
  FloatFormula::LogReduction reduced = m.reduceLog(normal);
  Value k = m.smallToFloat(reduced.biasedK, offset);
  Double log = product(m, log1pOf(m, {reduced.f, m.num(0)}), factor);
  Double whole = exactProduct(m, k, unit.high);
  Double result = sum(m, whole.high, log);
  return fixLog(m, x, m.add(result.high, m.add(result.low, m.mulAdd(k, unit.low, whole.low))));
}

} // namespace

Value burn::ir::buildExp2(FloatFormula &m, Value x) {
  Value bounded = m.atMost(m.atLeast(x, m.pick(-152, -1077)), m.pick(129, 1025));
  Value magic = m.num(m.pick(0x1.8p23, 0x1.8p52));
  Value shifted = m.add(bounded, magic);
  Value r = m.sub(bounded, m.sub(shifted, magic));
  Double lead = exactProduct(m, r, m.num(m.pick(0x1.62e43p-1, 0x1.62e42fefa39efp-1)));
  Value tail = m.mulAdd(m.mul(r, r), m.polynomial(m.pick(exp2Tail32, exp2Tail64), r), lead.low);
  Value power = m.add(m.num(1), m.add(lead.high, tail));
  const int64_t magicBits = m.isF64() ? 0x4338000000000000 : 0x4b400000;
  return m.scale(power, m.bitsAdd(m.toBits(shifted), 2 * m.bias() - magicBits));
}

Value burn::ir::buildLog2(FloatFormula &m, Value x) {
  Double factor =
      m.isF64() ? constant(m, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56) : constant(m, 0x1.715476p+0, 0x1.4ae0cp-26);
  return logToBase(m, x, factor, constant(m, 1, 0));
}

Value burn::ir::buildLog10(FloatFormula &m, Value x) {
  Double factor = m.isF64() ? constant(m, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57)
                            : constant(m, 0x1.bcb7b2p-2, -0x1.5b235ep-27);
  Double unit = m.isF64() ? constant(m, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59)
                          : constant(m, 0x1.344136p-2, -0x1.ec10cp-27);
  return logToBase(m, x, factor, unit);
}

Value burn::ir::buildCbrt(FloatFormula &m, Value x) {
  Value a = m.abs(x);
  // Subnormal numbers are moved up by a power of 8.
  Value tiny = m.is(CmpFPredicate::OLT, a, m.pick(0x1p-126, 0x1p-1022));
  Value one = m.num(1);
  Value normal = m.mul(a, m.select(tiny, m.num(m.pick(0x1p24, 0x1p54)), one));
  Value bits = m.toBits(normal);
  Value exponent =
      m.smallToFloat(m.bitsShiftRight(bits, m.bitsNum(m.significandBits())), m.num(m.smallToFloatOffset()));
  Value mantissa = m.fromBits(m.bitsOr(m.bitsAnd(bits, (int64_t(1) << m.significandBits()) - 1), m.toBits(one)));

  // a = 8^q 2^s mantissa with s = -1, 0 or 1.
  Value magic = m.num(m.pick(0x1.8p23, 0x1.8p52));
  Value shifted = m.mulAdd(exponent, m.num(0x1.5555555555555p-2), magic);
  Value s = m.mulAdd(m.sub(shifted, magic), m.num(-3), exponent);
  auto bySign = [&](double below, double zero, double above) {
    Value upper = m.select(m.is(CmpFPredicate::OGT, s, 0.0), m.num(above), m.num(zero));
    return m.select(m.is(CmpFPredicate::OLT, s, 0.0), m.num(below), upper);
  };
  Value value = m.mul(mantissa, bySign(0.5, 1, 2));
  Value inverse = m.mul(m.polynomial(m.pick(inverseCubeRoot32, inverseCubeRoot64), mantissa),
                        bySign(0x1.428a2f98d728bp+0, 1, 0x1.965fea53d6e3dp-1));
  // e = 1 - value inverse^3; (1 - e)^(-1/3) = 1 + e / 3 + 2 e^2 / 9 ...
  for (int step = 0; step != (m.isF64() ? 2 : 1); ++step) {
    Value cube = m.mul(m.mul(inverse, inverse), inverse);
    Value e = m.mulAdd(m.neg(value), cube, one);
    Value correction = m.mul(e, m.mulAdd(e, m.num(2.0 / 9), m.num(1.0 / 3)));
    inverse = m.mulAdd(inverse, correction, inverse);
  }
  // The root is value inverse^2; its cube is compared with value, all bits kept.
  Value squared = m.mul(inverse, inverse);
  Value root = m.mul(value, squared);
  Double rootSquare = exactProduct(m, root, root);
  Value remainder = m.mulAdd(m.neg(rootSquare.high), root, value);
  remainder = m.mulAdd(m.neg(rootSquare.low), root, remainder);
  root = m.mulAdd(m.mul(remainder, squared), m.num(1.0 / 3), root);

  const int64_t magicBits = m.isF64() ? 0x4338000000000000 : 0x4b400000;
  Value power = m.powerOfTwo(m.bitsAdd(m.toBits(shifted), m.bias() - magicBits));
  Value result = m.mul(root, m.mul(power, m.select(tiny, m.num(m.pick(0x1p-8, 0x1p-18)), one)));
  result = m.select(m.is(CmpFPredicate::OLT, a, m.infinity), result, a);
  return m.keepZero(x, m.copySign(result, x));
}

Value burn::ir::buildHypot(FloatFormula &m, Value x, Value y) {
  Value absX = m.abs(x), absY = m.abs(y);
  Value less = m.is(CmpFPredicate::OLT, absX, absY);
  Value large = m.select(less, absY, absX), small = m.select(less, absX, absY);
  // Moved to where squares, and their rounding errors, are normal numbers.
  Value down = m.is(CmpFPredicate::OGT, large, m.pick(0x1p50, 0x1p400));
  Value up = m.is(CmpFPredicate::OLT, large, m.pick(0x1p-50, 0x1p-400));
  auto byRange = [&](double ifDown, double ifUp) {
    return m.select(down, m.num(ifDown), m.select(up, m.num(ifUp), m.num(1)));
  };
  Value factor = byRange(m.pick(0x1p-78, 0x1p-700), m.pick(0x1p90, 0x1p700));
  Value a = m.mul(large, factor), c = m.mul(small, factor);
  Double square = exactProduct(m, a, a), other = exactProduct(m, c, c);
  Double total = sum(m, square.high, other);
  total.low = m.add(total.low, square.low);
  Value root = m.sqrt(total.high);
  Value remainder = m.add(m.mulAdd(m.neg(root), root, total.high), total.low);
  Value result = m.add(root, m.div(remainder, m.add(root, root)));
  result = m.mul(result, byRange(m.pick(0x1p78, 0x1p700), m.pick(0x1p-90, 0x1p-700)));
  result = m.select(m.is(CmpFPredicate::OEQ, large, 0.0), large, result);
  Value endless = m.either(m.is(CmpFPredicate::OEQ, absX, m.infinity), m.is(CmpFPredicate::OEQ, absY, m.infinity));
  result = m.select(endless, m.num(m.infinity), result);
  Value broken = m.select(endless, result, m.add(x, y));
  return m.select(m.is(CmpFPredicate::UNO, x, y), broken, result);
}

/// x^exponent by pow, for an exponent that a float of the type may not hold.
static Value powerByLogarithm(FloatFormula &m, Value x, int64_t exponent) {
  double nearest = m.isF64() ? double(exponent) : double(float(exponent));
  double rest = double((long double)exponent - nearest);
  if (rest == 0)
    return buildPow(m, x, m.num(nearest));
  // The rest is a correction by a factor near 1, but where the power is 0 or infinite, whatever the rest.
  Value magnitude = m.abs(x);
  Value power = buildPow(m, magnitude, m.num(nearest));
  Value corrected = m.mul(power, buildPow(m, magnitude, m.num(rest)));
  Value ordinary = m.both(m.is(CmpFPredicate::OGT, power, 0.0), m.is(CmpFPredicate::OLT, power, m.infinity));
  Value result = m.select(ordinary, corrected, power);
  return exponent % 2 == 0 ? result : m.copySign(result, x);
}

Value burn::ir::buildPowi(FloatFormula &m, Value x, int64_t exponent) {
  // The errors of the low parts grow with the number of factors.
  if (exponent < -64 || exponent > 64)
    return powerByLogarithm(m, x, exponent);
  if (exponent == 0)
    return m.num(1);
  Double base = {x, m.num(0)};
  if (exponent < 0) {
    base.high = m.div(m.num(1), x);
    base.low = m.mul(m.mulAdd(m.neg(base.high), x, m.num(1)), base.high);
  }
  // High parts are plain products, so an overflow leaves infinity there and NaN in
  // the low part alone.
  uint64_t factors = exponent < 0 ? -exponent : exponent;
  while (factors % 2 == 0) {
    base = product(m, base, base);
    factors /= 2;
  }
  Double result = base;
  while (factors /= 2) {
    base = product(m, base, base);
    if (factors % 2 == 1)
      result = product(m, result, base);
  }
  // Not where the low part is NaN, nor where the sum would lose the sign of a zero.
  Value usable = m.is(CmpFPredicate::OLT, m.abs(result.low), m.abs(result.high));
  return m.select(usable, collapse(m, result), result.high);
}

// erfc, erfinv and gelu. The polynomials are minimax or near minimax fits (60 digits);
// the bound beside each is its error relative to the function that it serves.
#include "dialects/Burn/ScalarPayloadDouble.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

/// A function that falls like exp(-x^2) / x: exp(square) (1 + slope x) f(x), as a
/// polynomial in t = (x - centre) / (x + centre), which takes all x >= 0 to [-1, 1).
struct Tail {
  double slope, centre;
  /// The first coefficient is an unevaluated sum with `firstLow`.
  double firstLow;
  ArrayRef<double> coefficients;
};

// erfc(x), square = x^2.
constexpr double erfc32[] = // 2^-29
    {0x1.46e80ep+0, -0x1.7bf5eap-4, -0x1.5407cep-3,  0x1.4ff9f6p-3, -0x1.bc276ep-5, -0x1.072468p-7,
     0x1.1d6b42p-7, 0x1.482d72p-10, -0x1.754182p-10, -0x1.a479p-12, 0x1.68fdp-13,   0x1.52fab8p-14};
constexpr double erfc64[] = // 2^-59
    {0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28fp-3,  0x1.f7f5df66fd6c8p-7,   0x1.16ecefcfa545ep-4,
     -0x1.9ddb23c3e892fp-4,  0x1.7fee004e106f6p-4,   -0x1.0fb06dfe554fdp-4,  0x1.3079edf6c3956p-5,
     -0x1.096238829f969p-6,  0x1.49c672739819fp-8,   -0x1.8d4a9c3f92295p-11, -0x1.a1df19050d372p-13,
     0x1.3be06a3aa229dp-13,  -0x1.995a83b5ed816p-16, -0x1.788d54d9b2b8fp-17, 0x1.7f3225f552f5ep-18,
     0x1.3bb397036c948p-22,  -0x1.bb5b8bec8c916p-21, 0x1.3f2cb262fb3d5p-24,  0x1.d991f04b7788fp-24,
     -0x1.2efbc69e53523p-26, -0x1.e3eb5f4b23754p-27, 0x1.dc5e322947ed4p-30,  0x1.4ebcb37eb58e6p-30};
constexpr Tail erfcTail32 = {2, 2, 0x1.3a964p-27, erfc32};
constexpr Tail erfcTail64 = {2, 4, -0x1.a164dfdb136bp-55, erfc64};

// The normal distribution function of -x, square = x^2 / 2.
constexpr double normal64[] = // 2^-57
    {0x1.4bab8af99db6dp-1,   -0x1.0e16c3310963p-4,   0x1.bdbc64203b4a9p-8,   0x1.19bf38eb584a6p-5,
     -0x1.af183795ee0acp-5,  0x1.a5331afa3dd9bp-5,   -0x1.40a9fdda94bafp-5,  0x1.8e06623dfc529p-6,
     -0x1.9300ea6405afbp-7,  0x1.41cba4b2b6564p-8,   -0x1.6d582e9f1d402p-10, 0x1.6ae806e9c51bdp-13,
     0x1.18cc176b2797ap-14,  -0x1.629b184b3fbdfp-15, 0x1.ac1fb50747b73p-18,  0x1.96fb3d4e1f0bcp-19,
     -0x1.a17b84de2723ep-20, -0x1.e86631a31f485p-26, 0x1.c302c4f011a08p-23,  -0x1.0f52a0ba2319cp-25,
     -0x1.af8c41324b167p-26, 0x1.d6b790f1927d5p-28,  0x1.a734ad8ef6931p-29,  -0x1.b15929405e39p-31,
     -0x1.6edf7103d38aap-32};
constexpr Tail normalTail64 = {1.5, 6, 0x1.271ae4c07d41ap-55, normal64};

// Phi(-x) exp(x^2 / 2) (x + 3) of t = (x - 3) / (x + 3), which takes all x >= 0 to [-1, 1). The first coefficient is an
// unevaluated sum with the second number.
constexpr double geluTail32[] = { // 2^-28
    0x1.754a76p-1,  -0x1.04c72ap-1, 0x1.d71386p-3,   -0x1.832c86p-5, -0x1.56d6ccp-7, 0x1.c8a1e4p-8,
    0x1.0ca966p-10, -0x1.0d933p-10, -0x1.fec232p-13, 0x1.0b8a0ep-13, 0x1.b72358p-15};
constexpr double geluTailLow32 = -0x1.c727fap-26;

// (f(-x) - 1/2) / x over x^2, for |x| <= 1/2.
constexpr double normalSeries64[] = { // 2^-53
    0x1.9884533d43651p-2,   -0x1.1058377e2d26ap-4,  0x1.46d04297fba47p-7,
    -0x1.37403ffc3f812p-10, 0x1.e42b999600634p-14,  -0x1.3d0dee650283dp-17,
    0x1.7053dc726d529p-21,  -0x1.82fddf32167d5p-24, 0x1.b21a5d8349706p-25};

// erfinv(x) / x with w = -log(1 - x^2): in w - 5/2 up to 5, then in sqrt(w) - 3.
constexpr double inverseNear32[] = // 2^-24
    {0x1.805c5ep+0,   0x1.f91e8cp-3,   -0x1.11c6d2p-8, -0x1.486748p-10, 0x1.ca0a42p-13,
     -0x1.4c6904p-18, -0x1.d2aad2p-19, 0x1.f2484ep-22, 0x1.a0a90ap-26,  -0x1.28f8a2p-27};
constexpr double inverseFar32[] = // 2^-26
    {0x1.6a9efcp+1,  0x1.006dc8p+0,  0x1.358138p-7,   -0x1.f4acbcp-8,  0x1.748efp-8,
     -0x1.d6205ep-9, 0x1.8755e8p-10, -0x1.3d2674p-14, -0x1.4c1746p-12, 0x1.0bcaep-13};
// In w - 25/8 up to 25/4, then in sqrt(w) - 13/4 up to 4, then in sqrt(w) - 5.
constexpr double inverseNear64[] = // 2^-56
    {0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13dfap-3,   -0x1.8b6c33114eb9bp-8,  -0x1.845769483597p-11,
     0x1.879c2a20b93c6p-13,  -0x1.d1d1f7ca02cc6p-17, -0x1.6e8a53d05ce9p-20,  0x1.c6b4f886eda3dp-22,
     -0x1.f36cecdfbfb5ap-26, -0x1.1a9eb01022d6p-28,  0x1.20f533bf39f6dp-30,  -0x1.dc3f432c1e021p-35,
     -0x1.c8a3ad21c3a9ep-37, 0x1.7236af3aca146p-39,  -0x1.6be14604abcefp-44, -0x1.687795ab04192p-45,
     0x1.d6ccfc4b15ebap-48,  -0x1.6b8d1af145981p-55, -0x1.1ca651b87687cp-53, 0x1.1e2410400199ap-56,
     0x1.995a170df52a3p-61,  -0x1.9a1e2aabc248ap-62, 0x1.3b5616b04ba43p-66,  0x1.e2c1153744ce6p-69,
     -0x1.6f47363321d6dp-72};
constexpr double inverseMiddle64[] = // 2^-54
    {0x1.8abcc380d5a48p+1,   0x1.0158a6d641d56p+0,   0x1.5ffcfe5b6d69cp-8,   -0x1.ebadabba15d95p-9,
     0x1.468eeca8240e3p-9,   -0x1.ba9240d39d276p-10, 0x1.f3cc54e606b71p-11,  -0x1.7448bde26da66p-12,
     0x1.932daf78422cep-16,  0x1.1e6ade37f8cb2p-14,  -0x1.8cf1409bded48p-15, 0x1.a23ce1b7b218p-17,
     0x1.88c5acd93f77ep-19,  -0x1.0b5ef5765e29ep-18, 0x1.92058840ae054p-20,  -0x1.033c444b33311p-25,
     -0x1.2254d9ed95545p-22, 0x1.1f7d20ed6fce3p-23,  0x1.7429f4edc332ep-32,  -0x1.15afc6e3b7d39p-26};
constexpr double inverseFar64[] = // 2^-55
    {0x1.3664ddd1ad7fbp+2,  0x1.02a30d1fba10fp+0,   -0x1.22ea5df1d257ap-13, -0x1.c2f36aa2e8ef8p-13,
     0x1.3ebf4ef7a6161p-14, -0x1.4a348f80b4752p-16, 0x1.2fbd011688b8ep-18,  -0x1.0a908c318bc41p-20,
     0x1.ebe05a039f0cp-23,  -0x1.22225fa288171p-24, 0x1.f2cfd5e7a2013p-26,  -0x1.06348f67c061dp-26,
     0x1.0bc14d5ca30f7p-27, -0x1.dc110657d9a0bp-29, 0x1.71cea6716c907p-30,  -0x1.e5977260f4b87p-32,
     0x1.d79dd0f2a757p-35,  0x1.811e32cc4b00ep-35,  -0x1.27c132e75fdf5p-36};

/// f(x) exp(square) for x >= 0.
Double scaledTail(FloatFormula &m, const Tail &tail, Value x) {
  Value centre = m.num(tail.centre);
  Value t = m.div(m.sub(x, centre), m.add(x, centre));
  Value rest = m.mulAdd(m.polynomial(tail.coefficients.drop_front(), t), t, m.num(tail.firstLow));
  Double numerator = quickSum(m, m.num(tail.coefficients[0]), rest);
  Double product = exactProduct(m, x, m.num(tail.slope));
  Double denominator = exactSum(m, m.num(1), product.high);
  denominator.low = m.add(denominator.low, product.low);
  return quotient(m, numerator, denominator);
}

/// f(x) for x >= 0.
ScaledDouble tailAt(FloatFormula &m, const Tail &tail, Value x, Double square) {
  ScaledDouble decay = expOf(m, negated(m, square));
  return {product(m, scaledTail(m, tail, x), decay.value), decay.biasedTwice};
}

/// |x| Phi(-|x|) for f32: one division, and the roundings that count kept apart from the value and added to the last
/// sum.
Value geluTail(FloatFormula &m, Value a) {
  Double square = exactProduct(m, a, m.mul(a, m.num(0.5)));
  // inverse (1 + error) = 1 / (a + 3)
  Value denominator = m.add(a, m.num(3));
  Value lost = m.sub(a, m.sub(denominator, m.num(3)));
  Value inverse = m.div(m.num(1), denominator);
  Value error = m.mulAdd(m.neg(denominator), inverse, m.num(1));
  Value inverseLow = m.mul(inverse, m.mulAdd(m.neg(lost), inverse, error));
  Value t = m.mulAdd(inverseLow, m.num(-6), m.mulAdd(inverse, m.num(-6), m.num(1)));
  Value rest = m.polynomial(ArrayRef(geluTail32).drop_front(), t);
  Value first = m.num(geluTail32[0]), factor = m.mulAdd(rest, t, first);
  Value factorLow = m.add(m.mulAdd(rest, t, m.sub(first, factor)), m.num(geluTailLow32));
  Value ratio = m.mul(a, inverse);
  Value ratioLow = m.mulAdd(a, inverseLow, m.mulAdd(a, inverse, m.neg(ratio)));
  // a Phi(-a) exp(a^2 / 2)
  Value value = m.mul(ratio, factor);
  Value low = m.mulAdd(ratio, factor, m.neg(value));
  low = m.mulAdd(ratioLow, factor, m.mulAdd(ratio, factorLow, low));

  FloatFormula::ExpReduction reduced = m.reduceExp(m.neg(square.high));
  reduced.low = m.sub(reduced.low, square.low);
  Value growth = m.expm1Reduced(reduced);
  value = m.add(value, m.mulAdd(value, growth, m.mulAdd(low, growth, low)));
  // The power of two is 2^-163 at least: 2^64 times that is a normal number, and the last product rounds once.
  Value power = m.powerOfTwo(m.bitsAdd(reduced.biasedTwice, 64 - m.bias()));
  return m.mul(m.mul(value, power), m.num(0x1p-64));
}

} // namespace

Value burn::ir::buildErfc(FloatFormula &m, Value x) {
  // Beyond the bound the result is 0 or 2.
  Value a = m.atMost(m.abs(x), m.pick(10.5, 28));
  ScaledDouble scaled = tailAt(m, m.isF64() ? erfcTail64 : erfcTail32, a, exactProduct(m, a, a));
  Value tail = m.scale(collapse(m, scaled.value), scaled.biasedTwice);
  Value large = m.select(m.is(CmpFPredicate::OLT, x, 0.0), m.sub(m.num(2), tail), tail);
  // 1 - erf(x), whose terms are small beside 1.
  Double lead = quickSum(m, m.num(1), m.neg(x));
  Value small = m.add(lead.high, m.mulAdd(m.neg(x), erfSeries(m, m.mul(x, x)), lead.low));
  return m.select(m.is(CmpFPredicate::OLT, a, 0.5), small, large);
}

Value burn::ir::buildErfInv(FloatFormula &m, Value x) {
  // 1 - x^2 is rounded once, so its logarithm is right up to the ends.
  Value w = m.neg(buildLog(m, m.mulAdd(m.neg(x), x, m.num(1))));
  Value result;
  if (!m.isF64()) {
    Value near = m.polynomial(inverseNear32, m.sub(w, m.num(2.5)));
    Value far = m.polynomial(inverseFar32, m.sub(m.sqrt(w), m.num(3)));
    result = m.select(m.is(CmpFPredicate::OLT, w, 5.0), near, far);
  } else {
    Value near = m.polynomial(inverseNear64, m.sub(w, m.num(3.125)));
    Value root = m.sqrt(w);
    Value middle = m.polynomial(inverseMiddle64, m.sub(root, m.num(3.25)));
    Value far = m.polynomial(inverseFar64, m.sub(root, m.num(5)));
    result = m.select(m.is(CmpFPredicate::OLT, w, 16.0), middle, far);
    result = m.select(m.is(CmpFPredicate::OLT, w, 6.25), near, result);
  }
  result = m.mul(result, x);
  Value end = m.is(CmpFPredicate::OEQ, m.abs(x), 1.0);
  return m.select(end, m.copySign(m.num(m.infinity), x), result);
}

Value burn::ir::buildGelu(FloatFormula &m, Value x) {
  // x f(-x) with f(x) the distribution function of -x; for positive x, x - x f(x).
  if (!m.isF64()) {
    Value magnitude = m.abs(x);
    Value positive = m.select(m.is(CmpFPredicate::OLT, x, 0.0), m.num(-0.0), x);
    Value large = m.sub(positive, geluTail(m, m.atMost(magnitude, 15)));
    // Two terms of the series, whose corrections are not lost where x is near the least numbers.
    Value small = m.mul(x, m.mulAdd(x, m.num(0x1.988454p-2), m.num(0.5)));
    return m.select(m.is(CmpFPredicate::OLT, magnitude, 0x1p-12), small, large);
  }
  Value a = m.atMost(m.abs(x), 40);
  Double square = exactProduct(m, a, m.mul(a, m.num(0.5)));
  ScaledDouble scaled = tailAt(m, normalTail64, a, square);
  Value tail = m.scale(collapse(m, product(m, scaled.value, a)), scaled.biasedTwice);
  Value positive = m.sub(x, tail);
  Value large = m.select(m.is(CmpFPredicate::OLT, x, 0.0), m.neg(tail), positive);
  Value series = m.polynomial(normalSeries64, m.mul(x, x));
  Value small = m.mul(x, m.mulAdd(series, x, m.num(0.5)));
  return m.select(m.is(CmpFPredicate::OLT, a, 0.5), small, large);
}

Value burn::ir::buildGeluTanh(FloatFormula &m, Value x) {
  // (1 + tanh(u / 2)) / 2 = 1 / (1 + exp(-u)) with u = sqrt(8 / pi) x (1 + 0.044715 x^2).
  Value a = m.atMost(m.abs(x), m.pick(12, 24));
  Double factor = m.isF64() ? constant(m, 0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54)
                            : constant(m, 0x1.988454p+0, -0x1.857936p-25);
  Double cubic =
      m.isF64() ? constant(m, 0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c7p-61) : constant(m, 0x1.2444f2p-4, 0x1.49b16ap-29);
  Double square = exactProduct(m, a, a);
  Double growth = sum(m, factor, product(m, square, cubic));
  Double u = product(m, quickSum(m, growth.high, growth.low), a);
  // With e = exp(-u) for u >= 0: x e / (1 + e) for negative x, else x - that.
  ScaledDouble e = expOf(m, negated(m, u));
  Value power = m.powerOfTwo(m.bitsAdd(e.biasedTwice, -m.bias()));
  Value counts = m.is(CmpFPredicate::OLT, u.high, 40.0);
  Double addend = scaled(m, e.value, m.select(counts, power, m.num(0)));
  Double total = quickSum(m, m.num(1), addend.high);
  total.low = m.add(total.low, addend.low);
  Double share = quotient(m, product(m, e.value, a), total);
  Value tail = m.scale(collapse(m, share), e.biasedTwice);
  Value result = m.select(m.is(CmpFPredicate::OLT, x, 0.0), m.neg(tail), m.sub(x, tail));
  return m.keepZero(x, result);
}

// lgamma, digamma and polygamma. The polynomials are minimax or near minimax fits (60
// digits); the bound beside each is its error relative to the function that it serves.
#include "dialects/Burn/ScalarPayloadTrig.h"

#include <cmath>

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

// lgamma(1 + t) / t for -0.3 <= t <= 0.7.
constexpr double aroundOne32[] = // 2^-26
    {-0x1.2788dp-1,  0x1.a51a64p-1, -0x1.9a4d36p-2, 0x1.1514bap-2, -0x1.a8c2d4p-3, 0x1.5ae624p-3,
     -0x1.25f136p-3, 0x1.044716p-3, -0x1.e68494p-4, 0x1.a5cd78p-4, -0x1.ffdbbep-5, 0x1.22421ap-6};
constexpr double aroundOne64[] = // 2^-56
    {-0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab279p-2, 0x1.151322ac7d75bp-2,
     -0x1.a8b9c17aaff46p-3, 0x1.5b40cb103560fp-3, -0x1.2703a1d9c1accp-3, 0x1.010b369df8ee9p-3,
     -0x1.c8067153adbf1p-4, 0x1.9a01ea7feaa15p-4, -0x1.748c2767433fap-4, 0x1.556a1ceba72d4p-4,
     -0x1.3b1cf83966326p-4, 0x1.24a0a47ee4264p-4, -0x1.112eb06c719fdp-4, 0x1.ffa6f0d58d3f5p-5,
     -0x1.df54fc06015b7p-5, 0x1.c4787ae9f81f8p-5, -0x1.b8c6365ebdc59p-5, 0x1.ba03bd95f0dc5p-5,
     -0x1.a29f20842cccbp-5, 0x1.468f7f236d51ap-5, -0x1.6f18e4436556ap-6, 0x1.ffa744aceb5f6p-8,
     -0x1.48035e2551f81p-10};
// lgamma(2 + t) / t for -0.3 <= t <= 0.7.
constexpr double aroundTwo32[] = // 2^-25
    {0x1.b0ee6p-2,  0x1.4a34ccp-2,   -0x1.13df8cp-4, 0x1.513062p-6,  -0x1.e47f2p-8,
     0x1.7d08dap-9, -0x1.32a0e4p-10, 0x1.9bfb9cp-12, -0x1.2332a6p-14};
constexpr double aroundTwo64[] = // 2^-56
    {0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa6p-2,  -0x1.13e001a5575a4p-4,  0x1.51322ac7d86bdp-6,
     -0x1.e404fc21af362p-8,  0x1.7add6eadae3cbp-9,  -0x1.38ac5c1949571p-10, 0x1.0b36af5f9965fp-11,
     -0x1.d3fd579f888bbp-13, 0x1.a127e14586e17p-14, -0x1.78dcc7a074f52p-15, 0x1.58021931a0d9ap-16,
     -0x1.3cc7fe584fe1dp-17, 0x1.26ca07b0469aep-18, -0x1.14b95057d7edbp-19, 0x1.f3873541c3daep-21,
     -0x1.763287187f355p-22, 0x1.684881c76d6d2p-24, -0x1.13a6275134ca2p-27};
// x (lgamma(x) - (x - 1/2) (log(x) - 1) - log(2 pi) / 2 + 1/2) over 1 / x^2, for x >= 2.7.
constexpr double stirling32[] = // 2^-28
    {0x1.5555p-4, -0x1.6a8deep-9, 0x1.57f96ep-11};
constexpr double stirling64[] = // 2^-57
    {0x1.5555555555264p-4,  -0x1.6c16c163f02afp-9,  0x1.a019f0d613975p-11, -0x1.380ef9a8f71fcp-11,
     0x1.b893ad76549d7p-11, -0x1.ec5799defba57p-10, 0x1.71ba11e7ff4b7p-8,  -0x1.2e1e2020be489p-6,
     0x1.ab9da517a6873p-5,  -0x1.a1301ac258868p-4,  0x1.8c6efb87062dp-4};

// digamma(1 + t) / (t - root) for 0 <= t <= 1, digamma(1 + root) = 0.
constexpr double digammaNear32[] = // 2^-25
    {0x1.4018eap+0, -0x1.b59acep-1, 0x1.814ee2p-1, -0x1.6e42d2p-1, 0x1.671bcap-1, -0x1.61a4fp-1,
     0x1.4a3286p-1, -0x1.067d32p-1, 0x1.358f5p-2,  -0x1.c975aap-4, 0x1.3573c2p-6};
constexpr double digammaNear64[] = // 2^-53
    {0x1.4018e9a62525ep+0,  -0x1.b59a5e3fc9368p-1, 0x1.8143857983201p-1,  -0x1.6dd847b7f9822p-1, 0x1.658fe69f4f927p-1,
     -0x1.61c8649c3377cp-1, 0x1.5ffe607d361c4p-1,  -0x1.5f1f0a10d1ce4p-1, 0x1.5ea2e3d1ebc45p-1,  -0x1.5e13ce8403ad5p-1,
     0x1.5c7431fabd285p-1,  -0x1.57405fdf51a96p-1, 0x1.4973f5b9a44abp-1,  -0x1.2c361fd12670cp-1, 0x1.f5c4734e72aep-2,
     -0x1.71b812fcc7aafp-2, 0x1.ccfc62ef77803p-3,  -0x1.d176c024067c4p-4, 0x1.69792182b6608p-5,  -0x1.92165843af189p-7,
     0x1.1ba0273878558p-9,  -0x1.7bde6ad858c8p-13};
// (log(x) - 1 / (2 x) - digamma(x)) x^2 over 1 / x^2, for x >= 3.
constexpr double digammaFar32[] = // 2^-28
    {0x1.55545cp-4, -0x1.0f8608p-7, 0x1.a7890ep-9};
constexpr double digammaFar64[] = // 2^-57
    {0x1.5555555554f3fp-4, -0x1.1111110b4eefp-7,  0x1.0410391a46b45p-8, -0x1.110e4378b8317p-8,
     0x1.efe382a0b986cp-8, -0x1.5446589a071d5p-6, 0x1.3489d082e6f75p-4, -0x1.323d700d399b1p-2,
     0x1.0ab865be146b4p+0, -0x1.43715b3c7f6dcp+1, 0x1.80217c4d048dbp+1};

// B(2j) / (2j)!, the coefficients of the Euler-Maclaurin sum.
constexpr double eulerMaclaurin[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                     -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                     0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                     -0x1.f57d968caacf1p-53};

/// lgamma(x) for x >= 2.7, from its logarithm.
Double stirling(FloatFormula &m, Value x, Double log) {
  Double factor = exactSum(m, x, m.num(-0.5));
  Double less = exactSum(m, log.high, m.num(-1));
  // The logarithm's parts may overlap by many bits: one number again, or the product of the high parts overflows too
  // soon.
  less = quickSum(m, less.high, m.add(less.low, log.low));
  Double lead = product(m, factor, less);
  Double total = exactSum(m, lead.high, m.num(m.pick(0x1.acfe3ap-2, 0x1.acfe390c97d69p-2)));
  Value inverse = m.div(m.num(1), x);
  Value series = m.polynomial(m.pick(stirling32, stirling64), m.mul(inverse, inverse));
  Value low = m.add(lead.low, m.mulAdd(inverse, series, total.low));
  // An overflow leaves infinity in the high part alone.
  Value finite = m.is(CmpFPredicate::OLT, total.high, m.infinity);
  return {total.high, m.select(finite, low, m.num(0))};
}

/// Sine and cosine of pi a, up to the sign of a half turn that they share.
struct Turned {
  Double sine, cosine;
};
Turned sinCosOfTurns(FloatFormula &m, Value a) {
  // What the bound cuts off are even integers.
  Angle angle = reduceTurns(m, m.atMost(a, 0x1p60));
  Value even = m.bitsEqual(m.bitsAnd(angle.quadrant, 1), 0);
  Double sine = sinOf(m, angle.rest), cosine = cosOf(m, angle.rest);
  auto normal = [&](Double v) { return quickSum(m, v.high, v.low); };
  return {normal(select(m, even, sine, cosine)), normal(select(m, even, cosine, negated(m, sine)))};
}

/// x^exponent for a positive exponent; an overflow leaves infinity in the high part alone.
Double powerOf(FloatFormula &m, Double x, int64_t exponent) {
  Double result = {m.num(1), m.num(0)};
  for (; exponent != 0; exponent /= 2) {
    if (exponent % 2 == 1)
      result = product(m, result, x);
    x = product(m, x, x);
  }
  return result;
}

/// A number of the compiler as an unevaluated sum.
struct Exact {
  double high = 1, low = 0;

  Exact times(Exact y) const {
    const double product = high * y.high;
    return {product, std::fma(high, y.high, -product) + (high * y.low + low * y.high)};
  }
};

/// As accurate as two floats of the type hold it.
Double constant(FloatFormula &m, Exact value) {
  if (m.isF64())
    return constant(m, value.high, value.low);
  const double rounded = double(float(value.high));
  return constant(m, rounded, value.high - rounded + value.low);
}

/// The root of that degree of order!.
double rootOfFactorial(int64_t order, int64_t degree) {
  double bits = 0;
  for (int64_t i = 2; i <= order; ++i)
    bits += std::log2(double(i));
  return double(float(std::exp2(bits / double(degree))));
}

/// order! zeta(order + 1, x), the Hurwitz zeta function, for x > 0: the first terms of
/// the series, then the Euler-Maclaurin formula for the others.
/// Beside it the power of two that it has to be multiplied with.
std::pair<Double, Value> hurwitz(FloatFormula &m, int64_t order, Double x) {
  // A factor c / (x + k) that is raised to the power s takes its share of the factorial
  // and, for large x, of a power of two, so that no partial result leaves the range.
  const int64_t s = order + 1;
  const double root = rootOfFactorial(order, s);
  const int up = int(m.pick(90, 800)) / int(s);
  Value large = m.is(CmpFPredicate::OGT, x.high, 64.0);
  Value c = m.select(large, m.num(std::ldexp(root, up)), m.num(root));
  const int64_t terms = int64_t(m.pick(6, 10)) + order / 2;
  const size_t corrections = size_t(m.pick(5, 10));
  auto inverse = [&](int64_t k) {
    Double shifted = exactSum(m, x.high, m.num(double(k)));
    shifted = quickSum(m, shifted.high, m.add(shifted.low, x.low));
    return quotient(m, constant(m, 1, 0), shifted);
  };
  Double total = powerOf(m, product(m, inverse(0), c), s);
  for (int64_t k = 1; k != terms; ++k)
    total = sum(m, total, powerOf(m, product(m, inverse(k), c), s));
  // With w = 1 / (x + terms): w^(s - 1) (1 / (s - 1) + w (1/2 + w (b1 s + w^2 (b2 s (s + 1) (s + 2) + ...)))).
  Double w = inverse(terms);
  Double power = powerOf(m, product(m, w, c), s - 1);
  SmallVector<double> series;
  double rising = double(s);
  for (size_t j = 0; j != corrections; ++j) {
    series.push_back(eulerMaclaurin[j] * rising);
    rising *= double(s + 2 * int64_t(j) + 1) * double(s + 2 * int64_t(j) + 2);
  }
  Value rest = m.mul(w.high, m.polynomial(series, m.mul(w.high, w.high)));
  rest = m.mul(m.add(rest, m.num(0.5)), w.high);
  const double lead = 1 / double(order);
  const double error = -std::fma(lead, double(order), -1.0) / double(order);
  Double around = sum(m, constant(m, Exact{lead, error}), Double{rest, m.num(0)});
  total = sum(m, total, product(m, power, product(m, around, c)));
  // What the shares leave of the factorial, about 1.
  Exact left = {1 / root, -std::fma(1 / root, root, -1.0) / root};
  for (int64_t i = 1; i <= order; ++i)
    left = left.times({double(i), 0}).times({1 / root, -std::fma(1 / root, root, -1.0) / root});
  Value down = m.select(large, m.num(std::ldexp(1.0, -up * int(s))), m.num(1));
  return {product(m, total, constant(m, left)), down};
}

} // namespace

Value burn::ir::buildLgamma(FloatFormula &m, Value x) {
  Value a = m.abs(x);
  Double log = logOf(m, a);
  Value nearZero = m.both(m.is(CmpFPredicate::OLT, x, 0.7), m.is(CmpFPredicate::OGT, x, -0.3));
  Value t = m.select(nearZero, x, m.sub(a, m.num(1)));
  Value one = m.mulAdd(t, m.polynomial(m.pick(aroundOne32, aroundOne64), t), m.num(0));
  Value u = m.sub(a, m.num(2));
  Value two = m.mul(u, m.polynomial(m.pick(aroundTwo32, aroundTwo64), u));
  Value zero = m.num(0);
  Double positive = select(m, m.is(CmpFPredicate::OLT, a, 2.7), {two, zero}, stirling(m, a, log));
  positive = select(m, m.is(CmpFPredicate::OLT, a, 1.7), {one, zero}, positive);
  Value origin = m.sub(m.sub(one, log.low), log.high);
  Value result = m.select(nearZero, origin, collapse(m, positive));
  // The positive counterpart of a negative number, where it is below 0.7 too.
  Value below = m.polynomial(m.pick(aroundOne32, aroundOne64), a);
  below = m.sub(m.mulAdd(a, below, m.neg(log.low)), log.high);
  positive = select(m, m.is(CmpFPredicate::OLT, a, 0.7), {below, zero}, positive);

  // gamma(x) gamma(-x) = -pi / (x sin(pi x)).
  Double sine = sinCosOfTurns(m, a).sine;
  Value pole = m.is(CmpFPredicate::OEQ, sine.high, 0.0);
  Value negative = m.is(CmpFPredicate::OLT, sine.high, 0.0);
  sine = select(m, negative, negated(m, sine), sine);
  // The bound keeps the argument of the logarithm a normal number where it is not used.
  Double area = product(m, sine, m.atLeast(a, 0.25));
  area = select(m, pole, constant(m, 1, 0), quickSum(m, area.high, area.low));
  Double mirror = logOf(m, area, m.num(0));
  Double logPi =
      m.isF64() ? constant(m, 0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57) : constant(m, 0x1.250d04p+0, 0x1.1cf438p-25);
  Double reflected = exactSum(m, logPi.high, m.neg(mirror.high));
  Double whole = exactSum(m, reflected.high, m.neg(positive.high));
  Value low = m.add(m.add(whole.low, reflected.low), m.sub(m.sub(logPi.low, mirror.low), positive.low));
  Value left = m.is(CmpFPredicate::OLE, x, -0.3);
  result = m.select(left, m.select(pole, m.num(m.infinity), m.add(whole.high, low)), result);
  Value endless = m.either(m.is(CmpFPredicate::OEQ, a, m.infinity), m.is(CmpFPredicate::OEQ, a, 0.0));
  return m.select(endless, m.num(m.infinity), result);
}

Value burn::ir::buildDigamma(FloatFormula &m, Value x) {
  Value a = m.abs(x);
  Value one = m.num(1);
  Value below1 = m.is(CmpFPredicate::OLT, a, 1.0), below2 = m.is(CmpFPredicate::OLT, a, 2.0),
        below3 = m.is(CmpFPredicate::OLT, a, 3.0);
  // digamma(1 + t), and where a is 2 + t one step further: digamma(a - 1) + 1 / (a - 1).
  Value t = m.sub(a, m.select(below1, m.num(0), m.select(below2, one, m.num(2))));
  Value fromRoot = m.isF64() ? m.add(m.sub(t, m.num(0x1.d8b618d5af8fep-2)), m.num(0x1.1e563779a1f5bp-56))
                             : m.sub(m.sub(t, m.num(0x1.d8b618p-2)), m.num(0x1.ab5f2p-27));
  Value near = m.mul(fromRoot, m.polynomial(m.pick(digammaNear32, digammaNear64), t));
  Value step = m.both(below3, m.opposite(below2));
  Value inverse = m.div(one, m.select(step, m.sub(a, one), a));
  near = m.select(step, m.add(near, inverse), near);

  Value square = m.mul(inverse, inverse);
  Value series = m.mul(square, m.polynomial(m.pick(digammaFar32, digammaFar64), square));
  Double log = logOf(m, a);
  Value zero = m.num(0);
  Double shifted = select(m, below3, {near, zero}, {log.high, m.sub(m.mulAdd(inverse, m.num(-0.5), log.low), series)});
  Value positive = m.select(below1, m.sub(near, inverse), collapse(m, shifted));

  // digamma(-a) = digamma(a) + 1 / a + pi / tan(pi a), of which the first two are digamma(1 + a).
  Turned turned = sinCosOfTurns(m, a);
  Double cotangent = quotient(m, turned.cosine, turned.sine);
  Double pi = m.isF64() ? constant(m, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53)
                        : constant(m, 0x1.921fb6p+1, -0x1.777a5cp-24);
  Double mirror = product(m, cotangent, pi);
  Value more = m.select(below1, zero, m.select(step, m.div(one, a), inverse));
  Double total = exactSum(m, mirror.high, shifted.high);
  Value low = m.add(m.add(shifted.low, more), m.add(total.low, mirror.low));
  Value reflected = m.add(total.high, low);
  // Next to 0 the cotangent overflows before, or as, the result does.
  Value tiny = m.is(CmpFPredicate::OLT, a, m.pick(0x1p-30, 0x1p-60));
  reflected = m.select(tiny, inverse, reflected);
  Value pole = m.is(CmpFPredicate::OEQ, turned.sine.high, 0.0);
  reflected = m.select(pole, m.num(m.notANumber), reflected);
  Value result = m.select(m.is(CmpFPredicate::OLT, x, 0.0), reflected, positive);
  result = m.select(m.is(CmpFPredicate::OEQ, x, m.infinity), x, result);
  return m.select(m.is(CmpFPredicate::OEQ, a, 0.0), m.copySign(m.num(m.infinity), m.neg(x)), result);
}

Value burn::ir::buildPolygamma(FloatFormula &m, int64_t order, Value x) {
  if (order == 0)
    return buildDigamma(m, x);
  // The function is (-1)^(order + 1) order! zeta(order + 1, x). For negative x,
  // with 1 - x in place of x, that is pi^(order + 1) Q(cot(pi x)) short of it, up to signs,
  // where Q is the derivative of the cotangent of that order without its sign.
  Value negative = m.is(CmpFPredicate::OLT, x, 0.0);
  Value a = m.abs(x);
  Double mirrored = exactSum(m, a, m.num(1));
  Double argument = select(m, negative, mirrored, {a, m.num(0)});
  auto [zeta, unit] = hurwitz(m, order, argument);

  SmallVector<double> derivative = {0, 1};
  for (int64_t i = 0; i != order; ++i) {
    SmallVector<double> next(derivative.size() + 1, 0.0);
    for (size_t k = 1; k != derivative.size(); ++k) {
      next[k - 1] += double(k) * derivative[k];
      next[k + 1] += double(k) * derivative[k];
    }
    derivative = next;
  }
  Turned turned = sinCosOfTurns(m, a);
  Value pole = m.is(CmpFPredicate::OEQ, turned.sine.high, 0.0);
  // cot(pi x) = -cot(pi a).
  Double cotangent = negated(m, quotient(m, turned.cosine, turned.sine));
  Double square = product(m, cotangent, cotangent);
  const size_t last = derivative.size() - 1;
  // The factors pi and the coefficients share their powers of two.
  const int share = int(std::log2(rootOfFactorial(order, order)));
  auto coefficient = [&](size_t k) { return constant(m, Exact{std::ldexp(derivative[k], -share * int(order)), 0}); };
  Double polynomial = coefficient(last);
  for (size_t k = last; k >= 2; k -= 2)
    polynomial = sum(m, product(m, polynomial, square), coefficient(k - 2));
  if (last % 2 == 1)
    polynomial = product(m, polynomial, cotangent);
  Double pi = constant(m, Exact{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53});
  Double mirror =
      product(m, product(m, polynomial, pi), powerOf(m, scaled(m, pi, m.num(std::ldexp(1.0, share))), order));
  mirror = select(m, m.is(CmpFPredicate::OEQ, polynomial.high, 0.0), polynomial, mirror);
  zeta = select(m, negative, scaled(m, zeta, unit), zeta);
  unit = m.select(negative, m.num(1), unit);
  Double other = order % 2 == 0 ? zeta : negated(m, zeta);
  // Next to a pole both may overflow, and the nearer one counts.
  Value overflow = m.is(CmpFPredicate::OEQ, m.abs(mirror.high), m.infinity);
  Double reflected = select(m, overflow, mirror, sum(m, mirror, other));
  Double result = select(m, negative, reflected, zeta);
  Value usable = m.is(CmpFPredicate::OLT, m.abs(result.low), m.abs(result.high));
  Value value = m.mul(m.select(usable, collapse(m, result), result.high), unit);
  Value atPole = m.both(pole, m.is(CmpFPredicate::OLE, x, 0.0));
  value = m.select(atPole, m.num(m.infinity), value);
  value = m.select(m.is(CmpFPredicate::OEQ, x, m.infinity), m.num(0), value);
  value = m.select(m.is(CmpFPredicate::UNO, x, x), x, value);
  return order % 2 == 1 ? value : m.neg(value);
}

// sin, cos and tan. The polynomials are minimax fits (Remez exchange in 60 digits);
// the bound beside each is its error relative to the function that it serves.
#include "dialects/Burn/ScalarPayloadTrig.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace burn::ir;
using arith::CmpFPredicate;

namespace {

// (sin(r) - r + r^3 / 6) / r^5 over r^2, for |r| up to a little more than pi/4.
constexpr double sinTail32[] = { // 2^-36
    0x1.11110ep-7, -0x1.a01362p-13, 0x1.6da1aap-19};
constexpr double sinTail64[] = { // 2^-68
    0x1.111111111110fp-7,   -0x1.a01a01a01944ap-13, 0x1.71de3a53e00cfp-19,
    -0x1.ae64535609746p-26, 0x1.6120fe51da672p-33,  -0x1.aad56d7f73f14p-41};
// (cos(r) - 1 + r^2 / 2) / r^4 over r^2.
constexpr double cosTail32[] = { // 2^-33
    0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16};
constexpr double cosTail64[] = { // 2^-63
    0x1.555555555554bp-5,   -0x1.6c16c16c1500dp-10, 0x1.a01a019c8dd32p-16,
    -0x1.27e4f7f051c68p-22, 0x1.1ee9daccfb6c1p-29,  -0x1.8fa5ed5f9087bp-37};

// The bits of 2 / pi behind the point.
constexpr uint64_t twoOverPi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                                  0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                  0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                                  0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                                  0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/// pi / 2 in three parts.
struct HalfPi {
  double high, middle, low;
};
constexpr HalfPi halfPi32 = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
constexpr HalfPi halfPi64 = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

const HalfPi &halfPi(const FloatFormula &m) { return m.isF64() ? halfPi64 : halfPi32; }

/// x from the three parts of pi / 2: enough while the quotient is well inside of
/// the precision of the type.
Angle reduceNear(FloatFormula &m, Value x) {
  const HalfPi &parts = halfPi(m);
  Value magic = m.num(m.pick(0x1.8p23, 0x1.8p52));
  Value shifted = m.mulAdd(x, m.num(0x1.45f306dc9c883p-1), magic);
  Value n = m.sub(shifted, magic);
  Value negN = m.neg(n);
  // Exact, since the difference is below 1 and a multiple of the last place of pi / 2.
  Value first = m.mulAdd(negN, m.num(parts.high), x);
  Double second = exactProduct(m, negN, m.num(parts.middle));
  Double result = exactSum(m, first, second.high);
  result.low = m.mulAdd(negN, m.num(parts.low), m.add(result.low, second.low));
  return {m.toBits(shifted), result};
}

/// Any large x, after Payne and Hanek: of the product of the significand with
/// 2 / pi only the bits that neither count whole turns nor vanish are formed.
Angle reduceFar(FloatFormula &m, Value x) {
  const int width = m.isF64() ? 64 : 32;
  const int fraction = m.significandBits();
  Value exponent = m.bitsShiftRight(m.toBits(m.abs(x)), m.bitsNum(fraction));
  Value significand = m.bitsAnd(m.toBits(x), (int64_t(1) << fraction) - 1);
  significand = m.bitsOr(significand, m.bitsNum(int64_t(1) << fraction));

  // x = significand * 2^e. The window on 2 / pi opens at the bit that the product
  // moves to weight 2: number e - 2, a word of zeros before them all.
  Value position = m.bitsAdd(exponent, width - 2 - m.bias() - fraction);
  const int wordBits = m.isF64() ? 6 : 5;
  Value word = m.bitsShiftRight(position, m.bitsNum(wordBits));
  Value shift = m.bitsAnd(position, width - 1);
  SmallVector<Value> words = {m.bitsNum(0)};
  for (uint64_t bits : twoOverPi) {
    if (m.isF64()) {
      words.push_back(m.bitsNum(int64_t(bits)));
      continue;
    }
    words.push_back(m.bitsNum(int64_t(bits >> 32)));
    words.push_back(m.bitsNum(int64_t(bits & 0xffffffff)));
  }
  // The window's first word is number 16 or 4 at most: moved to the front by
  // powers of two.
  for (int step = m.isF64() ? 16 : 4; step != 0; step /= 2) {
    Value stay = m.bitsEqual(m.bitsAnd(word, step), 0);
    // Words past the end are those that no position leads to.
    const size_t needed = std::min<size_t>(words.size(), step + 3);
    for (size_t i = 0; i != needed && i + step < words.size(); ++i)
      words[i] = m.select(stay, words[i], words[i + step]);
    words.resize(needed);
  }
  // A shift by the whole width is none; two smaller ones are.
  auto join = [&](Value upper, Value lower) {
    Value back = m.bitsMinus(m.bitsNum(width - 1), shift);
    Value carried = m.bitsShiftRight(m.bitsShiftRight(lower, m.bitsNum(1)), back);
    return m.bitsOr(m.bitsShiftLeft(upper, shift), carried);
  };
  Value top = join(words[0], words[1]), middle = join(words[1], words[2]), bottom = join(words[2], words[3]);

  // The product modulo 4 quarter turns, its lowest word dropped.
  auto [middleLow, middleHigh] = m.bitsProduct(significand, middle);
  Value bottomHigh = m.bitsProduct(significand, bottom).second;
  Value low = m.bitsPlus(middleLow, bottomHigh);
  Value carry = m.select(m.bitsBelow(low, middleLow), m.bitsNum(1), m.bitsNum(0));
  Value high = m.bitsPlus(m.bitsPlus(m.bitsProduct(significand, top).first, middleHigh), carry);

  // To the nearest quarter; the rest is signed.
  Value quadrant = m.bitsShiftRight(m.bitsAdd(high, int64_t(1) << (width - 3)), m.bitsNum(width - 2));
  Value rest = m.bitsMinus(high, m.bitsShiftLeft(quadrant, m.bitsNum(width - 2)));
  // In pieces that a float holds.
  const int piece = width / 2 - 4;
  const int64_t mask = (int64_t(1) << piece) - 1;
  auto asFloat = [&](Value bits, int exponentOfUnit) {
    return m.mul(m.signedToFloat(bits), m.num(std::ldexp(1.0, exponentOfUnit)));
  };
  Value restLow = m.bitsAnd(rest, mask);
  Value highest = asFloat(m.bitsMinus(rest, restLow), 2 - width);
  Value next = asFloat(restLow, 2 - width);
  Value third = asFloat(m.bitsShiftRight(low, m.bitsNum(width - m.significandBits())), 2 - width - m.significandBits());
  Value last = asFloat(m.bitsAnd(low, (int64_t(1) << (width - m.significandBits())) - 1), 2 - 2 * width);
  Double turns = exactSum(m, highest, next);
  Double more = exactSum(m, turns.high, m.add(third, last));
  turns = {more.high, m.add(more.low, turns.low)};
  const HalfPi &parts = halfPi(m);
  Double angle = product(m, turns, constant(m, parts.high, parts.middle));
  angle = quickSum(m, angle.high, angle.low);
  // Infinity and NaN have no angle.
  Value nothing = m.sub(x, x);
  angle.high = m.add(angle.high, nothing);
  // x < 0 was taken for -x.
  Value sign = m.bitsAnd(m.toBits(x), m.signMask());
  auto flip = [&](Value v) { return m.fromBits(m.bitsXor(m.toBits(v), sign)); };
  Value backwards = m.bitsMinus(m.bitsNum(0), quadrant);
  return {m.select(m.bitsEqual(sign, 0), quadrant, backwards), {flip(angle.high), flip(angle.low)}};
}

Angle reduceAngle(FloatFormula &m, Value x) {
  // Beyond, the error of x * 2 / pi would move the angle out of the range of the
  // polynomials.
  const double limit = m.pick(0x1p13, 0x1p30);
  Value far = m.is(CmpFPredicate::UGE, m.abs(x), limit);
  Angle near = reduceNear(m, x);
  auto joined = m.whereAny(far, {near.quadrant, near.rest.high, near.rest.low}, [&]() -> FloatFormula::Triple {
    Angle exact = reduceFar(m, m.select(far, x, m.num(limit)));
    return {m.select(far, exact.quadrant, near.quadrant), m.select(far, exact.rest.high, near.rest.high),
            m.select(far, exact.rest.low, near.rest.low)};
  });
  return {joined[0], {joined[1], joined[2]}};
}

/// `x` with its sign turned in the third and fourth quadrant.
Value turn(FloatFormula &m, Value x, Value quadrant) {
  Value sign = m.bitsShiftLeft(m.bitsAnd(quadrant, 2), m.bitsNum(m.isF64() ? 62 : 30));
  return m.fromBits(m.bitsXor(m.toBits(x), sign));
}

} // namespace

Double burn::ir::sinOf(FloatFormula &m, Double r) {
  Double square = exactProduct(m, r.high, r.high);
  Double cube = exactProduct(m, r.high, square.high);
  cube.low = m.mulAdd(r.high, square.low, cube.low);
  // The cubic term counts enough for its rounding error to matter, the others do not.
  Double sixth =
      constant(m, m.pick(-0x1.555556p-3, -0x1.5555555555555p-3), m.pick(0x1.555556p-28, -0x1.5555555555555p-57));
  Double cubic = product(m, cube, sixth);
  Value tail = m.polynomial(m.pick(sinTail32, sinTail64), square.high);
  Value rest = m.mul(m.mul(cube.high, square.high), tail);
  // The derivative, 1 - r^2 / 2, is enough for the low part.
  Value slope = m.mulAdd(square.high, m.num(-0.5), m.num(1));
  Double lead = quickSum(m, r.high, cubic.high);
  return {lead.high, m.add(lead.low, m.add(cubic.low, m.mulAdd(r.low, slope, rest)))};
}

Double burn::ir::cosOf(FloatFormula &m, Double r) {
  Double square = exactProduct(m, r.high, r.high);
  Value half = m.mul(square.high, m.num(0.5));
  Double lead = quickSum(m, m.num(1), m.neg(half));
  // cos(r) = 1 - r^2 / 2 + r^4 (...), r^2 with its rounding error; for the low part of
  // r the derivative, r^3 / 6 - r.
  Value small = m.mulAdd(square.low, m.num(-0.5), lead.low);
  Value slope = m.mul(r.high, m.mulAdd(square.high, m.num(1.0 / 6), m.num(-1)));
  small = m.mulAdd(slope, r.low, small);
  Value tail = m.mul(square.high, m.polynomial(m.pick(cosTail32, cosTail64), square.high));
  Double fourth = exactProduct(m, square.high, tail);
  Double result = quickSum(m, lead.high, fourth.high);
  return {result.high, m.add(result.low, m.add(fourth.low, small))};
}

Angle burn::ir::reduceTurns(FloatFormula &m, Value x) {
  Value quarters = m.roundEven(m.add(x, x));
  Value rest = m.mulAdd(quarters, m.num(-0.5), x);
  const HalfPi &parts = halfPi(m);
  Double angle = product(m, constant(m, 2 * parts.high, 2 * parts.middle), rest);
  // Bits 0 and 1 of the count, also of one beyond the integers of the width.
  Value turns = m.floor(m.mul(quarters, m.num(0.25)));
  Value quadrant = m.mulAdd(turns, m.num(-4), quarters);
  Value magic = m.num(m.pick(0x1p23, 0x1p52));
  return {m.toBits(m.add(quadrant, magic)), angle};
}

Value burn::ir::buildSin(FloatFormula &m, Value x) {
  Angle angle = reduceAngle(m, x);
  Value even = m.bitsEqual(m.bitsAnd(angle.quadrant, 1), 0);
  Double result = select(m, even, sinOf(m, angle.rest), cosOf(m, angle.rest));
  return m.keepZero(x, turn(m, collapse(m, result), angle.quadrant));
}

Value burn::ir::buildCos(FloatFormula &m, Value x) {
  Angle angle = reduceAngle(m, x);
  Value even = m.bitsEqual(m.bitsAnd(angle.quadrant, 1), 0);
  Double result = select(m, even, cosOf(m, angle.rest), sinOf(m, angle.rest));
  return turn(m, collapse(m, result), m.bitsAdd(angle.quadrant, 1));
}

Double burn::ir::tanOf(FloatFormula &m, const Angle &angle) {
  Value even = m.bitsEqual(m.bitsAnd(angle.quadrant, 1), 0);
  Double sine = sinOf(m, angle.rest), cosine = cosOf(m, angle.rest);
  Double numerator = select(m, even, sine, negated(m, cosine));
  Double denominator = select(m, even, cosine, sine);
  auto normal = [&](Double v) { return quickSum(m, v.high, v.low); };
  return quotient(m, normal(numerator), normal(denominator));
}

Value burn::ir::buildTan(FloatFormula &m, Value x) { return m.keepZero(x, collapse(m, tanOf(m, reduceAngle(m, x)))); }

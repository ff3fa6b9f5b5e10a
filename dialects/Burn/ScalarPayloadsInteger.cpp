// Integer division and power, total over all operands, and Philox.
#include "dialects/Burn/ScalarPayloadBuilder.h"

#include <array>

using namespace mlir;
using namespace burn::ir;
using arith::CmpIPredicate;

namespace {

Value integer(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return buildSplat(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value isEqual(ImplicitLocOpBuilder &b, Value x, Value y) { return arith::CmpIOp::create(b, CmpIPredicate::eq, x, y); }

} // namespace

Value ScalarOps::div(Value lhs, Value rhs, DivideRounding rounding) {
  if (kind.isFloat())
    return compute([&](Value x, Value y) -> Value { return arith::DivFOp::create(b, x, y); }, lhs, rhs);
  if (kind.isBool())
    return lhs;
  Type type = lhs.getType();
  Value zero = integer(b, type, APInt::getZero(kind.width));
  Value one = integer(b, type, APInt(kind.width, 1));
  Value ones = integer(b, type, APInt::getAllOnes(kind.width));
  Value byZero = isEqual(b, rhs, zero);

  // The machine instruction traps on the cases that are defined here, so it gets
  // 1 for the divisor there: least / 1 is the wanted result already.
  if (kind.isUnsigned()) {
    Value divisor = arith::SelectOp::create(b, byZero, one, rhs);
    Value quotient = arith::DivUIOp::create(b, lhs, divisor);
    return arith::SelectOp::create(b, byZero, ones, quotient);
  }
  Value least = integer(b, type, APInt::getSignedMinValue(kind.width));
  Value overflow = arith::AndIOp::create(b, isEqual(b, lhs, least), isEqual(b, rhs, ones));
  Value unsafe = arith::OrIOp::create(b, byZero, overflow);
  Value divisor = arith::SelectOp::create(b, unsafe, one, rhs);
  Value quotient = arith::DivSIOp::create(b, lhs, divisor);
  if (rounding == DivideRounding::Floor) {
    Value remainder = arith::SubIOp::create(b, lhs, arith::MulIOp::create(b, quotient, divisor));
    Value inexact = arith::CmpIOp::create(b, CmpIPredicate::ne, remainder, zero);
    Value mixed = arith::CmpIOp::create(b, CmpIPredicate::slt, arith::XOrIOp::create(b, lhs, divisor), zero);
    Value below = arith::AddIOp::create(b, quotient, ones);
    quotient = arith::SelectOp::create(b, arith::AndIOp::create(b, inexact, mixed), below, quotient);
  }
  return arith::SelectOp::create(b, byZero, ones, quotient);
}

Value ScalarOps::integerPow(Value lhs, Value rhs) {
  if (kind.isBool()) {
    // x^0 is 1, x^1 is x.
    return arith::OrIOp::create(b, lhs, bitwiseNot(rhs));
  }
  // Square and multiply over all bits of the exponent, without a branch.
  Type type = lhs.getType();
  Value one = integer(b, type, APInt(kind.width, 1));
  Value zero = integer(b, type, APInt::getZero(kind.width));
  Value result = one;
  Value square = lhs;
  unsigned bits = kind.isSigned() ? kind.width - 1 : kind.width;
  for (unsigned bit = 0; bit != bits; ++bit) {
    Value mask = integer(b, type, APInt::getOneBitSet(kind.width, bit));
    Value unset = isEqual(b, arith::AndIOp::create(b, rhs, mask), zero);
    Value multiplied = arith::MulIOp::create(b, result, square);
    result = arith::SelectOp::create(b, unset, result, multiplied);
    if (bit + 1 != bits)
      square = arith::MulIOp::create(b, square, square);
  }
  if (kind.isUnsigned())
    return result;
  // 1 / lhs^n is 1 or -1 for the bases 1 and -1, and 0 otherwise.
  Value ones = integer(b, type, APInt::getAllOnes(kind.width));
  Value odd = isEqual(b, arith::AndIOp::create(b, rhs, one), one);
  Value inverse = arith::SelectOp::create(b, isEqual(b, lhs, one), one, zero);
  Value minusOne = arith::SelectOp::create(b, odd, ones, one);
  inverse = arith::SelectOp::create(b, isEqual(b, lhs, ones), minusOne, inverse);
  Value negative = arith::CmpIOp::create(b, CmpIPredicate::slt, rhs, zero);
  return arith::SelectOp::create(b, negative, inverse, result);
}

Value ScalarOps::integerPow(Value x, int64_t exponent) {
  if (kind.isBool())
    return exponent == 0 ? constant(1, x) : x;
  if (exponent < 0) // only whether it is odd counts, and that fits any width
    return kind.isUnsigned() ? select(compare(CompareDirection::EQ, x, constant(1, x)), x, constant(0, x))
                             : integerPow(x, constant(exponent % 2 == 0 ? -2 : -1, x));
  Value result, square = x;
  for (uint64_t factors = exponent; factors != 0; factors /= 2) {
    if (factors % 2 == 1)
      result = result ? Value(arith::MulIOp::create(b, result, square)) : square;
    if (factors > 1)
      square = arith::MulIOp::create(b, square, square);
  }
  return result ? result : constant(1, x);
}

namespace {

/// Notation for Philox on 64-bit counters and 32-bit words of one shape.
struct PhiloxBuilder {
  ImplicitLocOpBuilder &b;
  Type wide, word;

  PhiloxBuilder(ImplicitLocOpBuilder &b, Value index)
      : b(b), wide(index.getType()), word(withShapeOf(wide, b.getI32Type())) {}

  Value wideNum(uint64_t v) { return integer(b, wide, APInt(64, v)); }
  Value wordNum(uint32_t v) { return integer(b, word, APInt(32, v)); }
  Value low(Value v) { return arith::TruncIOp::create(b, word, v); }
  Value high(Value v) { return low(arith::ShRUIOp::create(b, v, wideNum(32))); }
  Value bitXor(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value product(Value x, uint32_t multiplier) {
    return arith::MulIOp::create(b, arith::ExtUIOp::create(b, wide, x), wideNum(multiplier));
  }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }
  /// Whether bit `bit` of a number is set.
  Value bit(Value number, uint32_t bit) {
    return isEqual(b, arith::AndIOp::create(b, number, wordNum(bit)), wordNum(bit));
  }

  /// The four words of the block `block` of a call.
  std::array<Value, 4> rounds(Value key0, Value key1, Value call, Value block) {
    std::array<Value, 4> counter = {low(block), high(block), low(call), high(call)};
    for (int round = 0; round != 10; ++round) {
      if (round != 0) {
        key0 = arith::AddIOp::create(b, key0, wordNum(0x9E3779B9));
        key1 = arith::AddIOp::create(b, key1, wordNum(0xBB67AE85));
      }
      Value product0 = product(counter[0], 0xD2511F53);
      Value product1 = product(counter[2], 0xCD9E8D57);
      counter = {bitXor(bitXor(high(product1), counter[1]), key0), low(product1),
                 bitXor(bitXor(high(product0), counter[3]), key1), low(product0)};
    }
    return counter;
  }
};

} // namespace

Value burn::ir::buildPhiloxWord(ImplicitLocOpBuilder &b, Value key0, Value key1, Value call, Value index) {
  PhiloxBuilder philox(b, index);
  Value block = arith::ShRUIOp::create(b, index, philox.wideNum(2));
  std::array<Value, 4> words = philox.rounds(key0, key1, call, block);
  Value number = philox.low(index);
  Value odd = philox.bit(number, 1);
  Value first = philox.select(odd, words[1], words[0]);
  Value second = philox.select(odd, words[3], words[2]);
  return philox.select(philox.bit(number, 2), second, first);
}

Value burn::ir::buildPhiloxDoubleWord(ImplicitLocOpBuilder &b, Value key0, Value key1, Value call, Value index) {
  PhiloxBuilder philox(b, index);
  Value block = arith::ShRUIOp::create(b, index, philox.wideNum(1));
  std::array<Value, 4> words = philox.rounds(key0, key1, call, block);
  Value odd = philox.bit(philox.low(index), 1);
  Value low = arith::ExtUIOp::create(b, philox.wide, philox.select(odd, words[2], words[0]));
  Value high = arith::ExtUIOp::create(b, philox.wide, philox.select(odd, words[3], words[1]));
  return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, philox.wideNum(32)));
}

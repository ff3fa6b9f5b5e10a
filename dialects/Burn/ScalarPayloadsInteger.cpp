// Integer division and power, total over all operands, and Philox.
#include "dialects/Burn/ScalarPayloadBuilder.h"

using namespace mlir;
using namespace burn::ir;
using arith::CmpIPredicate;

namespace {

Value integer(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return buildSplat(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value isEqual(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::CmpIOp::create(b, CmpIPredicate::eq, x, y);
}

} // namespace

Value ScalarOps::div(Value lhs, Value rhs, DivideRounding rounding) {
  if (kind.isFloat())
    return compute([&](Value x, Value y) -> Value { return arith::DivFOp::create(b, x, y); }, lhs,
                   rhs);
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
  Value overflow =
      arith::AndIOp::create(b, isEqual(b, lhs, least), isEqual(b, rhs, ones));
  Value unsafe = arith::OrIOp::create(b, byZero, overflow);
  Value divisor = arith::SelectOp::create(b, unsafe, one, rhs);
  Value quotient = arith::DivSIOp::create(b, lhs, divisor);
  if (rounding == DivideRounding::Floor) {
    Value remainder = arith::SubIOp::create(b, lhs, arith::MulIOp::create(b, quotient, divisor));
    Value inexact = arith::CmpIOp::create(b, CmpIPredicate::ne, remainder, zero);
    Value mixed = arith::CmpIOp::create(b, CmpIPredicate::slt,
                                        arith::XOrIOp::create(b, lhs, divisor), zero);
    Value below = arith::AddIOp::create(b, quotient, ones);
    quotient = arith::SelectOp::create(b, arith::AndIOp::create(b, inexact, mixed), below,
                                       quotient);
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
  // 1 / lhs^n is ±1 for ±1, 1 / 0 is -1 as in div, and 0 otherwise.
  Value ones = integer(b, type, APInt::getAllOnes(kind.width));
  Value odd = isEqual(b, arith::AndIOp::create(b, rhs, one), one);
  Value inverse = arith::SelectOp::create(b, isEqual(b, lhs, one), one, zero);
  Value minusOne = arith::SelectOp::create(b, odd, ones, one);
  inverse = arith::SelectOp::create(b, isEqual(b, lhs, ones), minusOne, inverse);
  inverse = arith::SelectOp::create(b, isEqual(b, lhs, zero), ones, inverse);
  Value negative = arith::CmpIOp::create(b, CmpIPredicate::slt, rhs, zero);
  return arith::SelectOp::create(b, negative, inverse, result);
}

Value burn::ir::buildPhiloxWord(ImplicitLocOpBuilder &b, Value key0, Value key1, Value call,
                                Value index) {
  Type wide = index.getType();
  Type word = withShapeOf(wide, b.getI32Type());
  auto wideNum = [&](uint64_t v) { return integer(b, wide, APInt(64, v)); };
  auto wordNum = [&](uint32_t v) { return integer(b, word, APInt(32, v)); };
  auto low = [&](Value v) -> Value { return arith::TruncIOp::create(b, word, v); };
  auto high = [&](Value v) -> Value {
    return low(arith::ShRUIOp::create(b, v, wideNum(32)));
  };
  auto bitXor = [&](Value x, Value y) -> Value { return arith::XOrIOp::create(b, x, y); };

  Value block = arith::ShRUIOp::create(b, index, wideNum(2));
  Value counter[4] = {low(block), high(block), low(call), high(call)};
  Value multiplier0 = wideNum(0xD2511F53), multiplier1 = wideNum(0xCD9E8D57);
  for (int round = 0; round != 10; ++round) {
    if (round != 0) {
      key0 = arith::AddIOp::create(b, key0, wordNum(0x9E3779B9));
      key1 = arith::AddIOp::create(b, key1, wordNum(0xBB67AE85));
    }
    Value product0 =
        arith::MulIOp::create(b, arith::ExtUIOp::create(b, wide, counter[0]), multiplier0);
    Value product1 =
        arith::MulIOp::create(b, arith::ExtUIOp::create(b, wide, counter[2]), multiplier1);
    Value next0 = bitXor(bitXor(high(product1), counter[1]), key0);
    Value next2 = bitXor(bitXor(high(product0), counter[3]), key1);
    counter[0] = next0;
    counter[1] = low(product1);
    counter[2] = next2;
    counter[3] = low(product0);
  }
  Value number = low(index);
  Value odd = isEqual(b, arith::AndIOp::create(b, number, wordNum(1)), wordNum(1));
  Value upper = isEqual(b, arith::AndIOp::create(b, number, wordNum(2)), wordNum(2));
  Value first = arith::SelectOp::create(b, odd, counter[1], counter[0]);
  Value second = arith::SelectOp::create(b, odd, counter[3], counter[2]);
  return arith::SelectOp::create(b, upper, second, first);
}

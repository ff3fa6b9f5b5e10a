// Decomposition of quantize and dequantize, and the derivative of the scale. Numbers of 8 bits are made and read by
// exact arithmetic on wider ones: multiplications with powers of two, chosen bit by bit of the exponent.
#include "dialects/Burn/Composites.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

using Values = SmallVector<Value>;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How a storage type holds numbers.
struct Storage {
  int64_t low = 0, high = 0;                         // integers: the range
  int mantissa = 0, bias = 0;                        // floats: stored bits of the significand, bias of the exponent
  int64_t largest = 0, overflow = 0, notANumber = 0; // floats: bits of the largest number, of what follows it, of NaN
  bool isPacked = false;
  bool isFloat() const { return mantissa > 0; }
};

Storage storageOf(QuantStorage storage) {
  switch (storage) {
  case QuantStorage::I8:
    return {.low = -128, .high = 127};
  case QuantStorage::U8:
    return {.low = 0, .high = 255};
  case QuantStorage::I4:
    return {.low = -8, .high = 7, .isPacked = true};
  case QuantStorage::U4:
    return {.low = 0, .high = 15, .isPacked = true};
  case QuantStorage::F8E4M3FN:
    return {.mantissa = 3, .bias = 7, .largest = 0x7e, .overflow = 0x7f, .notANumber = 0x7f};
  case QuantStorage::F8E5M2:
    return {.mantissa = 2, .bias = 15, .largest = 0x7b, .overflow = 0x7c, .notANumber = 0x7e};
  }
  return {};
}

Value compareWith(ImplicitLocOpBuilder &b, CompareDirection direction, Value x, double number) {
  return compare(b, direction, x, splat(b, x, number));
}

// The numbers of elements in the dimensions before and after one.
std::pair<int64_t, int64_t> around(Dims shape, unsigned dim) {
  auto product = [](Dims sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  return {product(shape.take_front(dim)), product(shape.drop_front(dim + 1))};
}

// One element a block, repeated over its block.
Value perElement(ImplicitLocOpBuilder &b, Value perBlock, Dims block) {
  // Dimension by dimension, as [before, blocks, after]: all at once might take too many dimensions.
  DimVector shape(shapeOf(perBlock));
  for (auto [dim, size] : llvm::enumerate(block)) {
    if (size == 1)
      continue;
    const auto [before, after] = around(shape, dim);
    perBlock = reshape(b, perBlock, {before, shape[dim], after});
    perBlock = broadcast(b, perBlock, {before, shape[dim], size, after}, {0, 1, 3});
    shape[dim] *= size;
  }
  return reshape(b, perBlock, shape);
}

// The converse: the sum over each block.
Value sumOfBlocks(ImplicitLocOpBuilder &b, Value x, Dims block) {
  DimVector shape(shapeOf(x));
  for (auto [dim, size] : llvm::enumerate(block)) {
    if (size == 1)
      continue;
    const auto [before, after] = around(shape, dim);
    shape[dim] /= size;
    x = sumOver(b, reshape(b, x, {before, shape[dim], size, after}), {2});
  }
  return reshape(b, x, shape);
}

// Integers of 32 bits: numbers rounded to nearest even and shifted, within the range of the storage.
Value toInteger(ImplicitLocOpBuilder &b, Value x, Value zeroPoint, const Storage &storage) {
  Value q = convert(b, RoundEvenOp::create(b, x), b.getI32Type()); // NaN gives 0
  if (zeroPoint)                                                   // whose sum with q may take more bits
    q = add(b, convert(b, q, b.getI64Type()), convert(b, zeroPoint, b.getI64Type()));
  q = ClampOp::create(b, q, splat(b, q, static_cast<double>(storage.low)),
                      splat(b, q, static_cast<double>(storage.high)));
  return convert(b, q, b.getI32Type());
}

// The bits of the nearest small float, ties to even.
Value toFloatBits(ImplicitLocOpBuilder &b, Value x, const Storage &storage, bool saturate) {
  using enum CompareDirection;
  Value zero = zeros(b, x), one = splat(b, x, 1.0);
  // -0 is negative too.
  Value negative = OrOp::create(b, compare(b, LT, x, zero), compare(b, LT, div(b, one, x), zero));
  // The magnitude in units of the least number with a full significand, no larger than matters.
  Value magnitude = MinOp::create(b, AbsOp::create(b, x), splat(b, x, 0x1p20));
  Value units = vjp::scale(b, magnitude, std::ldexp(1.0, storage.bias - 1));
  Value significand = units, exponent = one;
  for (int bit = 5; bit >= 0; --bit) {
    const int step = 1 << bit;
    Value large = compareWith(b, GE, significand, std::ldexp(1.0, step));
    significand = select(b, large, vjp::scale(b, significand, std::ldexp(1.0, -step)), significand);
    exponent = select(b, large, add(b, exponent, splat(b, x, step)), exponent);
  }
  const double steps = std::ldexp(1.0, storage.mantissa);
  // Rounding up to the next power of two carries into the exponent; below `units` 1 the exponent counts as 1 and the
  // significand has no leading 1.
  Value bits =
      add(b, RoundEvenOp::create(b, vjp::scale(b, significand, steps)), vjp::scale(b, sub(b, exponent, one), steps));
  const double most = static_cast<double>(saturate ? storage.largest : storage.overflow);
  bits = MinOp::create(b, bits, splat(b, bits, most));
  bits = select(b, compare(b, NE, x, x), splat(b, bits, static_cast<double>(storage.notANumber)), bits);
  bits = add(b, bits, select(b, negative, splat(b, bits, 128.0), zero));
  return convert(b, bits, b.getI32Type());
}

// The numbers of small floats, of their bits as numbers.
Value fromFloatBits(ImplicitLocOpBuilder &b, Value bits, const Storage &storage) {
  using enum CompareDirection;
  const double steps = std::ldexp(1.0, storage.mantissa);
  Value negative = compareWith(b, GE, bits, 128.0);
  Value magnitude = select(b, negative, sub(b, bits, splat(b, bits, 128.0)), bits);
  Value exponent = FloorOp::create(b, vjp::scale(b, magnitude, 1 / steps));
  Value fraction = sub(b, magnitude, vjp::scale(b, exponent, steps));
  Value isSubnormal = compareWith(b, EQ, exponent, 0.0);
  Value result = select(b, isSubnormal, fraction, add(b, fraction, splat(b, fraction, steps)));
  Value rest = select(b, isSubnormal, splat(b, exponent, 1.0), exponent);
  for (int bit = 4; bit >= 0; --bit) {
    const int step = 1 << bit;
    Value large = compareWith(b, GE, rest, step);
    result = select(b, large, vjp::scale(b, result, std::ldexp(1.0, step)), result);
    rest = select(b, large, sub(b, rest, splat(b, rest, step)), rest);
  }
  result = vjp::scale(b, result, std::ldexp(1.0, -storage.bias - storage.mantissa));
  Value beyond = compareWith(b, GT, magnitude, static_cast<double>(storage.largest));
  Value special = splat(b, result, std::numeric_limits<double>::quiet_NaN());
  if (storage.overflow != storage.notANumber)
    special = select(b, compareWith(b, EQ, magnitude, static_cast<double>(storage.overflow)),
                     splat(b, result, kInfinity), special);
  result = select(b, beyond, special, result);
  return select(b, negative, neg(b, result), result);
}

IntegerType byteType(ImplicitLocOpBuilder &b) { return IntegerType::get(b.getContext(), 8, IntegerType::Unsigned); }

// Two of 4 bits a byte, the first in the low bits.
Value pack(ImplicitLocOpBuilder &b, Value q) {
  q = AndOp::create(b, q, splat(b, q, 15.0));
  const Dims shape = shapeOf(q);
  const int64_t rank = shape.size(), last = shape.back();
  if (last % 2) {
    DimVector none(rank, 0), high(rank, 0);
    high.back() = 1;
    q = PadOp::create(b, q, scalar(b, q, 0.0), none, high, none);
  }
  const auto every = [&](int64_t start) -> Value {
    DimVector starts(rank, 0), sizes(shapeOf(q)), strides(rank, 1);
    sizes.back() /= 2;
    starts.back() = sizes.back() ? start : 0;
    strides.back() = 2;
    return SliceOp::create(b, q, starts, sizes, strides);
  };
  return convert(b, add(b, every(0), vjp::scale(b, every(1), 16.0)), byteType(b));
}

// The converse, as integers of 32 bits.
Value unpack(ImplicitLocOpBuilder &b, Value bytes, Dims shape, const Storage &storage) {
  bytes = convert(b, bytes, b.getI32Type());
  DimVector padded(shape);
  padded.back() = 2 * shapeOf(bytes).back();
  const int64_t half = shapeOf(bytes).back();
  const int64_t lines = half ? typeOf(bytes).getNumElements() / half : 0;
  const DimVector pairs{lines, half, 2};
  bytes = broadcast(b, reshape(b, bytes, {lines, half}), pairs, {0, 1});
  Value first = compareWith(b, CompareDirection::EQ, iota(b, pairs, 2), 0.0);
  Value q = select(b, first, AndOp::create(b, bytes, splat(b, bytes, 15.0)), div(b, bytes, splat(b, bytes, 16.0)));
  if (storage.low < 0)
    q = select(b, compareWith(b, CompareDirection::GE, q, 8.0), sub(b, q, splat(b, q, 16.0)), q);
  return sliceDim(b, reshape(b, q, padded), shape.size() - 1, 0, shape.back());
}

// q - zero_point, as floats.
Value centred(ImplicitLocOpBuilder &b, DequantizeOp op) {
  const Storage storage = storageOf(op.getStorage());
  const Type element = computeElement(op.getScale());
  if (storage.isFloat())
    return fromFloatBits(b, convert(b, op.getInput(), element), storage);
  Value q = storage.isPacked ? unpack(b, op.getInput(), shapeOf(op.getResult()), storage) : op.getInput();
  if (Value zeroPoint = op.getZeroPoint()) {
    zeroPoint = perElement(b, zeroPoint, op.getBlock());
    q = sub(b, convert(b, q, b.getI64Type()), convert(b, zeroPoint, b.getI64Type()));
  }
  return convert(b, q, element);
}

} // namespace

Values QuantizeOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  const Storage storage = storageOf(getStorage());
  Value x = div(b, widen(b, getInput()), perElement(b, widen(b, getScale()), getBlock()));
  if (storage.isFloat())
    return {convert(b, toFloatBits(b, x, storage, getSaturate()), byteType(b))};
  Value zeroPoint = getZeroPoint() ? perElement(b, getZeroPoint(), getBlock()) : Value();
  Value q = toInteger(b, x, zeroPoint, storage);
  return {storage.isPacked ? pack(b, q) : convert(b, q, elementOf(getResult()))};
}

Values DequantizeOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = mul(b, centred(b, *this), perElement(b, widen(b, getScale()), getBlock()));
  return {convert(b, x, elementOf(getResult()))};
}

// The scale alone; integers have no derivative.
bool DequantizeOp::isDifferentiableOperand(unsigned operand) { return operand == 1; }

LogicalResult DequantizeOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cts, const llvm::SmallBitVector &,
                                     MutableArrayRef<Value> slots) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  slots[1] = sumOfBlocks(b, mul(b, cts[0], centred(b, *this)), getBlock());
  return success();
}

// Quantization: elements one by one; small floats by comparison with all numbers of their type.
#include "dialects/Burn/Interpreter/NeuralFamilies.h"

#include <algorithm>
#include <array>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

bool isPacked(core::QuantStorage storage) {
  return storage == core::QuantStorage::I4 || storage == core::QuantStorage::U4;
}
bool isFloatStorage(core::QuantStorage storage) {
  return storage == core::QuantStorage::F8E4M3FN || storage == core::QuantStorage::F8E5M2;
}

std::pair<int64_t, int64_t> rangeOf(core::QuantStorage storage) {
  switch (storage) {
  case core::QuantStorage::I8:
    return {-128, 127};
  case core::QuantStorage::I4:
    return {-8, 7};
  case core::QuantStorage::U4:
    return {0, 15};
  default:
    return {0, 255};
  }
}

// The number that a byte stands for: Micikevicius et al., "FP8 formats for deep learning", 2022.
double smallFloat(uint8_t bits, core::QuantStorage storage) {
  const bool isE4 = storage == core::QuantStorage::F8E4M3FN;
  const int mantissa = isE4 ? 3 : 2, bias = isE4 ? 7 : 15;
  const int exponent = (bits & 0x7f) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
  const double sign = bits & 0x80 ? -1 : 1;
  if (isE4 && (bits & 0x7f) == 0x7f)
    return std::numeric_limits<double>::quiet_NaN();
  if (!isE4 && exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return sign * std::ldexp(exponent ? fraction + (1 << mantissa) : fraction, std::max(exponent, 1) - bias - mantissa);
}

uint8_t toSmallFloat(double x, core::QuantStorage storage, bool saturate) {
  const bool isE4 = storage == core::QuantStorage::F8E4M3FN;
  const uint8_t largest = isE4 ? 0x7e : 0x7b, sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x))
    return isE4 ? 0x7f : 0x7e;
  const double magnitude = std::fabs(x);
  // The greatest number rounds to itself up to half of a step beyond it (which ties away from its even neighbour).
  const double last = smallFloat(largest, storage), step = last - smallFloat(largest - 1, storage);
  const bool even = largest % 2 == 0;
  if (even ? magnitude > last + step / 2 : magnitude >= last + step / 2)
    return sign | (saturate ? largest : static_cast<uint8_t>(largest + 1));
  uint8_t best = 0;
  for (int bits = 1; bits <= largest; ++bits) {
    const double distance = std::fabs(smallFloat(bits, storage) - magnitude);
    const double least = std::fabs(smallFloat(best, storage) - magnitude);
    if (distance < least || (distance == least && bits % 2 == 0))
      best = static_cast<uint8_t>(bits);
  }
  return sign | best;
}

// The place of each element's block among the blocks.
std::vector<int64_t> blocksOf(const Shape &shape, std::span<const int64_t> block) {
  Shape blocks;
  for (unsigned i = 0; i < shape.rank(); ++i)
    blocks.push(shape[i] / block[i]);
  const Index strides = stridesOf(blocks);
  std::vector<int64_t> result;
  forEachIndex(shape, [&](const Index &index) {
    int64_t at = 0;
    for (unsigned i = 0; i < shape.rank(); ++i)
      at += index[i] / block[i] * strides[i];
    result.push_back(at);
  });
  return result;
}

// The byte of an element, and whether it is the upper half of it.
struct Packing {
  int64_t last, bytes;
  explicit Packing(const Shape &shape) : last(shape[shape.rank() - 1]), bytes((last + 1) / 2) {}
  int64_t byteOf(int64_t i) const { return i / last * bytes + i % last / 2; }
  bool isHigh(int64_t i) const { return i % last % 2; }
};

Status quantize(Evaluation &e, const core::QuantizeAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Shape &shape = input.type.shape;
  const Elements<double> x = load<double>(input), scale = load<double>(e.operand(1));
  const Elements<int64_t> zero = e.operands.size() > 2 ? load<int64_t>(e.operand(2)) : Elements<int64_t>(scale.size());
  const std::vector<int64_t> block = blocksOf(shape, attrs.block);
  const auto [low, high] = rangeOf(attrs.storage);
  Elements<int64_t> result(e.types[0].numel());
  for (size_t i = 0; i < x.size(); ++i) {
    double quotient = x[i] / scale[block[i]];
    if (input.type.dtype != DType::F64)
      quotient = static_cast<float>(quotient); // it is rounded before it is rounded to the storage
    if (isFloatStorage(attrs.storage)) {
      result[i] = toSmallFloat(quotient, attrs.storage, attrs.saturate);
      continue;
    }
    const double whole = std::isnan(quotient) ? 0 : std::clamp(RoundEven::of(quotient), -0x1p31, 0x1p31 - 1);
    const int64_t q = std::clamp(static_cast<int64_t>(whole) + zero[block[i]], low, high);
    if (!isPacked(attrs.storage))
      result[i] = q;
    else if (const Packing packing(shape); packing.isHigh(static_cast<int64_t>(i)))
      result[packing.byteOf(static_cast<int64_t>(i))] |= (q & 15) << 4;
    else
      result[packing.byteOf(static_cast<int64_t>(i))] |= q & 15;
  }
  store(e.result(), result);
  return Status::ok();
}

Status dequantize(Evaluation &e, const core::DequantizeAttrs &attrs) {
  const Shape &shape = e.types[0].shape;
  const Elements<int64_t> stored = load<int64_t>(e.operand(0));
  const std::vector<int64_t> block = blocksOf(shape, attrs.block);
  return overFloats(e.operand(1), [&]<typename C>(C) {
    const Elements<C> scale = load<C>(e.operand(1));
    const Elements<int64_t> zero =
        e.operands.size() > 2 ? load<int64_t>(e.operand(2)) : Elements<int64_t>(scale.size());
    Elements<C> result(block.size());
    for (size_t i = 0; i < result.size(); ++i) {
      if (isFloatStorage(attrs.storage)) {
        result[i] = smallFloat(static_cast<uint8_t>(stored[i]), attrs.storage) * scale[block[i]];
        continue;
      }
      int64_t q;
      if (isPacked(attrs.storage)) {
        const Packing packing(shape);
        const int64_t byte = stored[packing.byteOf(static_cast<int64_t>(i))];
        q = packing.isHigh(static_cast<int64_t>(i)) ? byte >> 4 : byte & 15;
        if (attrs.storage == core::QuantStorage::I4 && q > 7)
          q -= 16;
      } else {
        q = stored[i];
      }
      result[i] = static_cast<double>(q - zero[block[i]]) * scale[block[i]];
    }
    store(e.result(), result);
  });
}

} // namespace

Function meaning::findQuant(OpCode op) {
  switch (op) {
  case OpCode::Quantize:
    return Decoding<quantize>::call;
  case OpCode::Dequantize:
    return Decoding<dequantize>::call;
  default:
    return nullptr;
  }
}

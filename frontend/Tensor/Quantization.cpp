#include "frontend/Tensor/Support.h"

#include <burn/autograd.h>
#include <burn/quantization.h>

namespace burn {

using namespace trace;

namespace {

// Both enumerations list the same cases in the same order.
core::QuantStorage storageOf(QuantType type) {
  static_assert(static_cast<int>(QuantType::F8E5M2) == static_cast<int>(core::QuantStorage::F8E5M2));
  return static_cast<core::QuantStorage>(type);
}

struct Range {
  double low, high;
};

Range rangeOf(QuantType type) {
  switch (type) {
  case QuantType::I8:
    return {-128, 127};
  case QuantType::U8:
    return {0, 255};
  case QuantType::I4:
    return {-8, 7};
  case QuantType::U4:
    return {0, 15};
  case QuantType::F8E4M3FN:
    return {-448, 448};
  case QuantType::F8E5M2:
    return {-57344, 57344};
  }
  return {0, 0};
}

// One element of a block each, as a tensor that broadcasts over [blocks, block, ...] pairs of dimensions.
Shape paired(const Shape &blocks, const Shape &block, bool whole) {
  Shape result;
  for (unsigned i = 0; i < blocks.rank(); ++i) {
    result.push(blocks[i]);
    result.push(whole ? block[i] : 1);
  }
  return result;
}

Shape blocksOf(const char *name, const Shape &shape, const Shape &block) {
  bool fits = block.rank() == shape.rank();
  Shape blocks;
  for (unsigned i = 0; fits && i < shape.rank(); ++i) {
    fits = block[i] > 0 && shape[i] % block[i] == 0;
    blocks.push(fits ? shape[i] / block[i] : 0);
  }
  if (!fits)
    raiseInvalid(std::string(name) + ": expects a block that divides " + shape.str() + ", got " + block.str());
  return blocks;
}

} // namespace

QTensor quantize(const Tensor &x, const Tensor &scales, const Tensor &zero_points, Dims block, QuantType type,
                 Where where) {
  const LocationScope scope(where);
  const Tensor *operands[] = {&x, &scales, &zero_points};
  Recorder recorder("quantize", std::span<const Tensor *const>(operands, zero_points.defined() ? 3 : 2));
  const Shape sizes = checkedShape("quantize", block);
  Ref refs[3] = {recorder.use(x), recorder.convert(recorder.use(scales), x.dtype())};
  QTensor result;
  result.scales = recorder.tensor(refs[1]);
  result.zero_points = zero_points;
  result.type = type;
  if (zero_points.defined()) {
    refs[2] = recorder.convert(recorder.use(zero_points), DType::I32);
    result.zero_points = recorder.tensor(refs[2]);
  }
  const core::QuantizeAttrs attrs{storageOf(type), sizes.dims(), /*saturate=*/true};
  result.packed = recorder.tensor(recorder.emit(attrs, std::span<const Ref>(refs, zero_points.defined() ? 3 : 2)));
  result.shape = x.shape();
  result.block = sizes;
  recorder.finish();
  return result;
}

Tensor QTensor::dequantize(Where where) const {
  const LocationScope scope(where);
  const Tensor *operands[] = {&packed, &scales, &zero_points};
  const size_t count = zero_points.defined() ? 3 : 2;
  Recorder recorder("dequantize", std::span<const Tensor *const>(operands, count));
  Ref refs[3];
  for (size_t i = 0; i < count; ++i)
    refs[i] = recorder.use(*operands[i]);
  const core::DequantizeAttrs attrs{storageOf(type), block.dims()};
  const DType dtype = scales.dtype();
  const ShapeEntry *entry = internShape(shape);
  return recorder.finish(count == 3 ? recorder.emitTyped(attrs, {refs[0], refs[1], refs[2]}, dtype, entry)
                                    : recorder.emitTyped(attrs, {refs[0], refs[1]}, dtype, entry));
}

QTensor quantize_per_tensor(const Tensor &x, double scale, int64_t zero_point, QuantType type, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(x);
  Shape ones;
  for (unsigned i = 0; i < x.shape().rank(); ++i) {
    if (x.shape()[i] == 0)
      raiseInvalid("quantize_per_tensor: expects elements, got shape " + x.shape().str());
    ones.push(1);
  }
  const Tensor zeros = zero_point ? full(ones, zero_point, DType::I32) : Tensor();
  return quantize(x, full(ones, scale, x.dtype()), zeros, x.shape(), type);
}

QTensor quantize_per_channel(const Tensor &x, const Tensor &scales, const Tensor &zero_points, int64_t dim,
                             QuantType type, Where where) {
  const LocationScope scope(where);
  const unsigned axis = checkedDim("quantize_per_channel", dim, x.shape().rank());
  Shape block, blocks;
  for (unsigned i = 0; i < x.shape().rank(); ++i) {
    block.push(i == axis ? 1 : x.shape()[i]);
    blocks.push(i == axis ? x.shape()[i] : 1);
  }
  if (x.shape().rank() == 0 || scales.shape() != Shape{x.shape()[axis]})
    raiseInvalid("quantize_per_channel: expects scales of one dimension, dimension " + std::to_string(dim) + " of " +
                 x.shape().str() + ", got " + scales.shape().str());
  return quantize(x, scales.reshape(blocks), zero_points.defined() ? zero_points.reshape(blocks) : Tensor(), block,
                  type);
}

QTensor quantize_dynamic(const Tensor &x, Dims block, QuantType type, Where where) {
  const LocationScope scope(where);
  const Shape sizes = checkedShape("quantize_dynamic", block);
  const Shape blocks = blocksOf("quantize_dynamic", x.shape(), sizes);
  if (2 * blocks.rank() > Shape::maxRank)
    raiseInvalid("quantize_dynamic: expects at most " + std::to_string(Shape::maxRank / 2) + " dimensions, got " +
                 x.shape().str());
  const Range range = rangeOf(type);
  if (range.low == 0)
    raiseInvalid("quantize_dynamic: a symmetric scale needs a type with a sign");
  std::vector<int64_t> within;
  for (unsigned i = 0; i < blocks.rank(); ++i)
    within.push_back(2 * i + 1);
  Tensor most = abs(x.reshape(paired(blocks, sizes, true)));
  most = within.empty() ? most : most.amax(within);
  // Of a block of zeros any scale is right, but 0.
  const Tensor scales = burn::where(most > 0.0, most / range.high, 1.0);
  return quantize(x, scales.detach(), {}, sizes, type);
}

Tensor fake_quantize(const Tensor &x, const Tensor &scales, const Tensor &zero_points, Dims block, QuantType type,
                     Where where) {
  const LocationScope scope(where);
  const Shape sizes = checkedShape("fake_quantize", block);
  const Shape blocks = blocksOf("fake_quantize", x.shape(), sizes);
  if (2 * blocks.rank() > Shape::maxRank)
    raiseInvalid("fake_quantize: expects at most " + std::to_string(Shape::maxRank / 2) + " dimensions, got " +
                 x.shape().str());
  const Tensor fixed = x.detach(), step = scales.detach().to(x.dtype());
  const Tensor rounded = quantize(fixed, step, zero_points, sizes, type).dequantize();
  Tensor units = fixed.reshape(paired(blocks, sizes, true)) / step.reshape(paired(blocks, sizes, false));
  const bool isInteger = type != QuantType::F8E4M3FN && type != QuantType::F8E5M2;
  if (isInteger)
    units = round(units);
  if (zero_points.defined())
    units = units + zero_points.reshape(paired(blocks, sizes, false)).to(x.dtype());
  const Range range = rangeOf(type);
  const Tensor inside = (units >= range.low).logical_and(units <= range.high).reshape(x.shape());
  // x - x is 0 forwards, and passes the gradient.
  const Tensor passing = burn::where(inside, x, 0.0);
  return rounded + (passing - passing.detach());
}

} // namespace burn

// Elements read in another order.
#include "passes/PerOp/Kernels.h"

#include <algorithm>
#include <cstring>

namespace burn::compiler::perop {
namespace {

using core::OpCode;

template <typename Word>
void copyLine(const std::byte *source, int64_t first, int64_t stride, int64_t count, std::byte *target) {
  const Word *from = reinterpret_cast<const Word *>(source) + first;
  Word *to = reinterpret_cast<Word *>(target);
  if (stride == 0)
    std::fill_n(to, count, *from);
  else if (stride == 1)
    std::memcpy(to, from, count * sizeof(Word));
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i * stride];
}

void copyLine(const std::byte *source, int64_t width, int64_t first, int64_t stride, int64_t count, std::byte *target) {
  switch (width) {
  case 1:
    return copyLine<uint8_t>(source, first, stride, count, target);
  case 2:
    return copyLine<uint16_t>(source, first, stride, count, target);
  case 4:
    return copyLine<uint32_t>(source, first, stride, count, target);
  default:
    return copyLine<uint64_t>(source, first, stride, count, target);
  }
}

} // namespace

StridedView::StridedView(const Shape &sizes, int64_t base, std::span<const int64_t> strides) : base_(base) {
  for (unsigned i = 0; i < sizes.rank(); ++i) {
    if (sizes[i] == 1)
      continue;
    if (rank_ && strides_[rank_ - 1] == strides[i] * sizes[i]) {
      sizes_[rank_ - 1] *= sizes[i];
      strides_[rank_ - 1] = strides[i];
      continue;
    }
    sizes_[rank_] = sizes[i];
    strides_[rank_++] = strides[i];
  }
  if (rank_ == 0)
    sizes_[rank_++] = 1;
}

std::optional<StridedView> StridedView::ofOp(OpCode op, std::span<const int64_t> words, const core::TypeDesc &operand,
                                             const core::TypeDesc &result) {
  const Shape &shape = operand.shape;
  const Index source = stridesOf(shape);
  Index strides{};
  int64_t base = 0;
  if (op == OpCode::Broadcast) {
    const auto attrs = core::BroadcastAttrs::decode(words);
    if (!attrs)
      return std::nullopt;
    for (unsigned i = 0; i < shape.rank(); ++i)
      strides[attrs->dims[i]] = shape[i] == 1 ? 0 : source[i];
  } else if (op == OpCode::Transpose) {
    const auto attrs = core::TransposeAttrs::decode(words);
    if (!attrs)
      return std::nullopt;
    for (size_t i = 0; i < attrs->perm.size(); ++i)
      strides[i] = source[attrs->perm[i]];
  } else if (op == OpCode::Slice) {
    const auto attrs = core::SliceAttrs::decode(words);
    if (!attrs)
      return std::nullopt;
    for (size_t i = 0; i < attrs->starts.size(); ++i) {
      base += attrs->starts[i] * source[i];
      strides[i] = attrs->strides[i] * source[i];
    }
  } else if (op == OpCode::Reverse) {
    const auto attrs = core::ReverseAttrs::decode(words);
    if (!attrs)
      return std::nullopt;
    strides = source;
    for (int64_t dim : attrs->dims) {
      base += (shape[dim] - 1) * source[dim];
      strides[dim] = -source[dim];
    }
  } else {
    return std::nullopt;
  }
  return StridedView(result.shape, base, strides);
}

void StridedView::read(const std::byte *source, int64_t width, int64_t begin, int64_t count, std::byte *target) const {
  Index index{};
  int64_t offset = base_, rest = begin;
  for (unsigned i = rank_; i-- > 0; rest /= sizes_[i]) {
    index[i] = rest % sizes_[i];
    offset += index[i] * strides_[i];
  }
  const unsigned last = rank_ - 1;
  while (count > 0) {
    const int64_t line = std::min(count, sizes_[last] - index[last]);
    copyLine(source, width, offset, strides_[last], line, target);
    target += line * width;
    count -= line;
    offset -= index[last] * strides_[last];
    index[last] = 0;
    for (unsigned i = last; i-- > 0;) {
      offset += strides_[i];
      if (++index[i] < sizes_[i])
        break;
      offset -= strides_[i] * sizes_[i];
      index[i] = 0;
    }
  }
}

Offsets offsetsOver(const Shape &shape, std::span<const int64_t> dims) {
  const Index strides = stridesOf(shape);
  Offsets offsets = {0};
  for (int64_t dim : dims) {
    Offsets next;
    next.reserve(offsets.size() * shape[dim]);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < shape[dim]; ++i)
        next.push_back(offset + i * strides[dim]);
    offsets = std::move(next);
  }
  return offsets;
}

} // namespace burn::compiler::perop

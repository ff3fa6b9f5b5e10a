// Ops that copy elements, and those without operands. Elements are moved as bytes.
#include "dialects/Burn/Interpreter/Evaluation.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// Fills the result with source elements at `base` plus the result's index times `strides`.
void copyFrom(HostTensor &result, const HostTensor &source, int64_t base, const Index &strides) {
  const size_t width = result.elementSize();
  std::byte *target = result.bytes.data();
  forEachOffset(result.type.shape, base, strides, [&](int64_t offset) {
    std::memcpy(target, source.bytes.data() + offset * width, width);
    target += width;
  });
}

// Writes all source elements to the result at `base` plus their index times `strides`.
void copyInto(HostTensor &result, const HostTensor &source, int64_t base, const Index &strides) {
  const size_t width = result.elementSize();
  const std::byte *from = source.bytes.data();
  forEachOffset(source.type.shape, base, strides, [&](int64_t offset) {
    std::memcpy(result.bytes.data() + offset * width, from, width);
    from += width;
  });
}

Status iota(Evaluation &e, const core::IotaAttrs &attrs) {
  int64_t i = 0;
  forEachIndex(e.types[0].shape, [&](const Index &index) {
    if (isFloat(e.types[0].dtype))
      storeAt(e.result(), i++, static_cast<double>(index[attrs.dim]));
    else
      storeAt(e.result(), i++, index[attrs.dim]);
  });
  return Status::ok();
}

Status undef(Evaluation &) { return Status::ok(); } // results start as zeros

Status broadcast(Evaluation &e, const core::BroadcastAttrs &attrs) {
  const Shape &shape = e.operand(0).type.shape;
  const Index source = stridesOf(shape);
  Index strides{};
  for (unsigned i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1)
      strides[attrs.dims[i]] = source[i];
  copyFrom(e.result(), e.operand(0), 0, strides);
  return Status::ok();
}

Status reshape(Evaluation &e) {
  e.result().bytes = e.operand(0).bytes;
  return Status::ok();
}

Status transpose(Evaluation &e, const core::TransposeAttrs &attrs) {
  const Index source = stridesOf(e.operand(0).type.shape);
  Index strides{};
  for (size_t i = 0; i < attrs.perm.size(); ++i)
    strides[i] = source[attrs.perm[i]];
  copyFrom(e.result(), e.operand(0), 0, strides);
  return Status::ok();
}

Status slice(Evaluation &e, const core::SliceAttrs &attrs) {
  const Index source = stridesOf(e.operand(0).type.shape);
  Index strides{};
  int64_t base = 0;
  for (size_t i = 0; i < attrs.starts.size(); ++i) {
    base += attrs.starts[i] * source[i];
    strides[i] = attrs.strides[i] * source[i];
  }
  copyFrom(e.result(), e.operand(0), base, strides);
  return Status::ok();
}

Status sliceUpdate(Evaluation &e, const core::SliceUpdateAttrs &attrs) {
  e.result() = e.operand(0);
  const Index strides = stridesOf(e.types[0].shape);
  int64_t base = 0;
  for (size_t i = 0; i < attrs.starts.size(); ++i)
    base += attrs.starts[i] * strides[i];
  copyInto(e.result(), e.operand(1), base, strides);
  return Status::ok();
}

Status pad(Evaluation &e, const core::PadAttrs &attrs) {
  HostTensor &result = e.result();
  copyFrom(result, e.operand(1), 0, Index{});
  const HostTensor &input = e.operand(0);
  const size_t width = result.elementSize();
  const Index strides = stridesOf(result.type.shape);
  const std::byte *from = input.bytes.data();
  // Negative padding drops elements, so each place is checked.
  forEachIndex(input.type.shape, [&](const Index &index) {
    int64_t offset = 0;
    bool inside = true;
    for (unsigned i = 0; i < input.type.shape.rank(); ++i) {
      const int64_t place = attrs.low[i] + index[i] * (attrs.interior[i] + 1);
      inside &= place >= 0 && place < result.type.shape[i];
      offset += place * strides[i];
    }
    if (inside)
      std::memcpy(result.bytes.data() + offset * width, from, width);
    from += width;
  });
  return Status::ok();
}

Status concat(Evaluation &e, const core::ConcatAttrs &attrs) {
  const Index strides = stridesOf(e.types[0].shape);
  int64_t base = 0;
  for (const HostTensor *operand : e.operands) {
    copyInto(e.result(), *operand, base, strides);
    base += operand->type.shape[attrs.axis] * strides[attrs.axis];
  }
  return Status::ok();
}

Status reverse(Evaluation &e, const core::ReverseAttrs &attrs) {
  const Shape &shape = e.operand(0).type.shape;
  Index strides = stridesOf(shape);
  int64_t base = 0;
  for (int64_t dim : attrs.dims) {
    base += (shape[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  copyFrom(e.result(), e.operand(0), base, strides);
  return Status::ok();
}

} // namespace

Function meaning::findShape(OpCode op) {
  switch (op) {
  case OpCode::Iota:
    return Decoding<iota>::call;
  case OpCode::Undef:
    return undef;
  case OpCode::Broadcast:
    return Decoding<broadcast>::call;
  case OpCode::Reshape:
    return reshape;
  case OpCode::Transpose:
    return Decoding<transpose>::call;
  case OpCode::Slice:
    return Decoding<slice>::call;
  case OpCode::SliceUpdate:
    return Decoding<sliceUpdate>::call;
  case OpCode::Pad:
    return Decoding<pad>::call;
  case OpCode::Concat:
    return Decoding<concat>::call;
  case OpCode::Reverse:
    return Decoding<reverse>::call;
  default:
    return nullptr;
  }
}

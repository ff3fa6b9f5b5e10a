// Reductions over whole dimensions.
#include "dialects/Burn/Interpreter/Combiners.h"

#include <algorithm>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

Status reduce(Evaluation &e, const core::ReduceAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Shape &shape = input.type.shape;
  const Index kept = stridesOf(e.types[0].shape);
  Index strides{}; // 0 along reduced dimensions
  for (unsigned i = 0, next = 0; i < shape.rank(); ++i)
    if (!contains(attrs.dims, i))
      strides[i] = kept[next++];
  visitCompute(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input);
    Elements<C> result(e.result().numel(), identityOf<C>(attrs.kind, input.type.dtype));
    size_t next = 0;
    forEachOffset(shape, 0, strides,
                  [&](int64_t offset) { result[offset] = combine<C>(attrs.kind, result[offset], x[next++]); });
    store(e.result(), result);
  });
  return Status::ok();
}

Status argReduce(Evaluation &e, const core::ArgReduceAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const int64_t size = input.type.shape[attrs.axis];
  const int64_t inner = stridesOf(input.type.shape)[attrs.axis];
  std::span<int64_t> indices = e.result(1).data<int64_t>();
  visitCompute(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input);
    for (int64_t i = 0; i < e.result().numel(); ++i) {
      const int64_t base = i / inner * inner * size + i % inner;
      int64_t best = 0;
      for (int64_t k = 1; k < size; ++k)
        if (replaces<C>(attrs.kind, x[base + best * inner], x[base + k * inner]))
          best = k;
      indices[i] = best;
      storeAt<C>(e.result(), i, x[base + best * inner]);
    }
  });
  return Status::ok();
}

// The mean, and the mean squared distance from it: two passes, the second over distances from the unrounded mean.
Status moments(Evaluation &e, const core::MomentsAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Shape &shape = input.type.shape;
  const Index kept = stridesOf(e.types[0].shape);
  Index strides{}; // 0 along reduced dimensions
  int64_t count = 1;
  for (unsigned i = 0, next = 0; i < shape.rank(); ++i)
    if (contains(attrs.dims, i))
      count *= shape[i];
    else
      strides[i] = kept[next++];
  const double n = static_cast<double>(count),
               free = static_cast<double>(std::max<int64_t>(count - attrs.correction, 0));
  visitCompute(input, [&]<typename C>(C) {
    if constexpr (Float<C>) {
      const Elements<C> x = load<C>(input);
      Elements<C> mean(e.result().numel(), C(0)), variance(mean);
      size_t next = 0;
      forEachOffset(shape, 0, strides, [&](int64_t offset) { mean[offset] += x[next++]; });
      for (C &value : mean)
        value /= n;
      next = 0;
      forEachOffset(shape, 0, strides, [&](int64_t offset) {
        const C distance = x[next++] - mean[offset];
        variance[offset] += distance * distance;
      });
      for (C &value : variance)
        value /= free;
      store(e.result(0), mean);
      store(e.result(1), variance);
    }
  });
  return Status::ok();
}

} // namespace

Function meaning::findReduction(OpCode op) {
  switch (op) {
  case OpCode::Reduce:
    return Decoding<reduce>::call;
  case OpCode::ArgReduce:
    return Decoding<argReduce>::call;
  case OpCode::Moments:
    return Decoding<moments>::call;
  default:
    return nullptr;
  }
}

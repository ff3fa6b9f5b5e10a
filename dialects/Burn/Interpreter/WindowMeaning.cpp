// Reductions over moving windows.
#include "dialects/Burn/Interpreter/Combiners.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

using Dims = std::span<const int64_t>;

// Where windows stand over an operand. An empty `base` means no dilation of the operand.
struct Windows {
  const Shape &operand;
  Dims window, strides, low, base, dilation;

  // Calls `fn(index)` for the operand elements in the window of result index `at`, in row-major order.
  template <typename Fn> void forEachElement(const Index &at, Fn &&fn) const {
    forEachIndex(Shape(window), [&](const Index &within) {
      Index index{};
      for (unsigned i = 0; i < operand.rank(); ++i) {
        const int64_t place = at[i] * strides[i] + within[i] * dilation[i] - low[i];
        const int64_t step = base.empty() ? 1 : base[i];
        if (place < 0 || place % step || place / step >= operand[i])
          return;
        index[i] = place / step;
      }
      fn(index);
    });
  }
};

Status reduceWindow(Evaluation &e, const core::ReduceWindowAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Shape &shape = input.type.shape;
  const Index strides = stridesOf(shape);
  const Windows windows{shape, attrs.window, attrs.strides, attrs.pad_low, attrs.base_dilation, attrs.window_dilation};
  visitCompute(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input);
    int64_t next = 0;
    forEachIndex(e.types[0].shape, [&](const Index &at) {
      C result = identityOf<C>(attrs.kind, input.type.dtype);
      windows.forEachElement(at, [&](const Index &index) {
        result = combine<C>(attrs.kind, result, x[dot(index, strides, shape.rank())]);
      });
      storeAt<C>(e.result(), next++, result);
    });
  });
  return Status::ok();
}

Status argReduceWindow(Evaluation &e, const core::ArgReduceWindowAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Shape &shape = input.type.shape;
  const Index strides = stridesOf(shape);
  Index flat{}; // strides of the index that is given
  int64_t stride = 1;
  for (size_t k = attrs.index_dims.size(); k-- > 0; stride *= shape[attrs.index_dims[k]])
    flat[attrs.index_dims[k]] = stride;
  const Windows windows{shape, attrs.window, attrs.strides, attrs.pad_low, {}, attrs.window_dilation};
  const auto kind = attrs.kind == core::ExtremumKind::Max ? core::ReduceKind::Max : core::ReduceKind::Min;
  std::span<int64_t> indices = e.result(1).data<int64_t>();
  visitCompute(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input);
    int64_t next = 0;
    forEachIndex(e.types[0].shape, [&](const Index &at) {
      C best = identityOf<C>(kind, input.type.dtype);
      int64_t bestIndex = -1;
      windows.forEachElement(at, [&](const Index &index) {
        const C candidate = x[dot(index, strides, shape.rank())];
        if (bestIndex < 0 || replaces<C>(attrs.kind, best, candidate)) {
          best = candidate;
          bestIndex = dot(index, flat, shape.rank());
        }
      });
      indices[next] = bestIndex;
      storeAt<C>(e.result(), next++, best);
    });
  });
  return Status::ok();
}

} // namespace

Function meaning::findWindow(OpCode op) {
  switch (op) {
  case OpCode::ReduceWindow:
    return Decoding<reduceWindow>::call;
  case OpCode::ArgReduceWindow:
    return Decoding<argReduceWindow>::call;
  default:
    return nullptr;
  }
}

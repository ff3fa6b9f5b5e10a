// Prefix combinations along an axis.
#include "dialects/Burn/Interpreter/Combiners.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// Calls `fn(first, step)` for every line along an axis: the position of the element with which the scan begins, and
// the distance to the next one.
template <typename Fn> void forEachLine(const Shape &shape, int64_t axis, bool reverse, Fn fn) {
  const int64_t size = shape[axis], inner = stridesOf(shape)[axis];
  const int64_t lines = size == 0 ? 0 : shape.numel() / size;
  for (int64_t i = 0; i < lines; ++i) {
    const int64_t first = i / inner * inner * size + i % inner;
    fn(reverse ? first + (size - 1) * inner : first, reverse ? -inner : inner);
  }
}

core::ReduceKind combinerOf(core::ScanKind kind) {
  switch (kind) {
  case core::ScanKind::Sum:
    return core::ReduceKind::Sum;
  case core::ScanKind::Prod:
    return core::ReduceKind::Prod;
  case core::ScanKind::Max:
    return core::ReduceKind::Max;
  case core::ScanKind::Min:
    break;
  }
  return core::ReduceKind::Min;
}

Status scan(Evaluation &e, const core::ScanAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const Shape &shape = input.type.shape;
  const core::ReduceKind kind = combinerOf(attrs.kind);
  visitCompute(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input);
    Elements<C> result(x.size());
    forEachLine(shape, attrs.axis, attrs.reverse, [&](int64_t place, int64_t step) {
      C combined = identityOf<C>(kind, input.type.dtype);
      for (int64_t k = 0; k < shape[attrs.axis]; ++k, place += step) {
        if (attrs.exclusive)
          result[place] = combined;
        combined = combine<C>(kind, combined, x[place]);
        if (!attrs.exclusive)
          result[place] = combined;
      }
    });
    store(e.result(), result);
  });
  return Status::ok();
}

Status linearScan(Evaluation &e, const core::LinearScanAttrs &attrs) {
  const Shape &shape = e.operand(0).type.shape;
  visitCompute(e.operand(0), [&]<typename C>(C) {
    if constexpr (!std::is_same_v<C, bool>) {
      const Elements<C> factor = load<C>(e.operand(0)), x = load<C>(e.operand(1));
      Elements<C> result(x.size());
      forEachLine(shape, attrs.axis, attrs.reverse, [&](int64_t place, int64_t step) {
        C carried(0);
        for (int64_t k = 0; k < shape[attrs.axis]; ++k, place += step)
          result[place] = carried = Add::of(Mul::of(factor[place], carried), x[place]);
      });
      store(e.result(), result);
    }
  });
  return Status::ok();
}

} // namespace

Function meaning::findScan(OpCode op) {
  switch (op) {
  case OpCode::Scan:
    return Decoding<scan>::call;
  case OpCode::LinearScan:
    return Decoding<linearScan>::call;
  default:
    return nullptr;
  }
}

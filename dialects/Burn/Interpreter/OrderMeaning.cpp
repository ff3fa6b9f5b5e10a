// Ops whose result places depend on the values: sorting and searching.
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"

#include <algorithm>
#include <numeric>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// The total order of numbers: -0 equals 0, all NaN are equal and above everything.
template <typename C> bool precedes(C a, C b) {
  if constexpr (Float<C>) {
    if (std::isnan(real(a)) || std::isnan(real(b)))
      return !std::isnan(real(a));
    return real(a) < real(b);
  } else {
    return a < b;
  }
}

// Where along `axis` the elements of each line stand that come first, second ... in order; `fn(line, order)` gets the
// position of the line's first element.
template <typename Fn> void forEachOrder(const HostTensor &keys, int64_t axis, bool descending, Fn fn) {
  const Shape &shape = keys.type.shape;
  const int64_t size = shape[axis], inner = stridesOf(shape)[axis];
  const int64_t lines = size == 0 ? 0 : shape.numel() / size;
  visitCompute(keys, [&]<typename C>(C) {
    const Elements<C> x = load<C>(keys);
    std::vector<int64_t> order(size);
    for (int64_t i = 0; i < lines; ++i) {
      const int64_t first = i / inner * inner * size + i % inner;
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        C left = x[first + a * inner], right = x[first + b * inner];
        if (descending)
          std::swap(left, right);
        return precedes<C>(left, right) || (!precedes<C>(right, left) && a < b); // equal elements keep their order
      });
      fn(first, std::span<const int64_t>(order));
    }
  });
}

Status sort(Evaluation &e, const core::SortAttrs &attrs) {
  const int64_t inner = stridesOf(e.operand(0).type.shape)[attrs.axis];
  forEachOrder(e.operand(0), attrs.axis, attrs.descending, [&](int64_t first, std::span<const int64_t> order) {
    for (size_t i = 0; i < e.operands.size(); ++i) {
      const size_t width = e.operand(i).elementSize();
      for (size_t k = 0; k < order.size(); ++k)
        std::memcpy(e.result(i).bytes.data() + (first + static_cast<int64_t>(k) * inner) * width,
                    e.operand(i).bytes.data() + (first + order[k] * inner) * width, width);
    }
  });
  return Status::ok();
}

Status topk(Evaluation &e, const core::TopkAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const int64_t size = input.type.shape[attrs.axis], inner = stridesOf(input.type.shape)[attrs.axis];
  const size_t width = input.elementSize();
  std::span<int64_t> indices = e.result(1).data<int64_t>();
  forEachOrder(input, attrs.axis, attrs.largest, [&](int64_t first, std::span<const int64_t> order) {
    const int64_t target = first / (size * inner) * attrs.k * inner + first % inner;
    for (int64_t k = 0; k < attrs.k; ++k) {
      std::memcpy(e.result(0).bytes.data() + (target + k * inner) * width,
                  input.bytes.data() + (first + order[k] * inner) * width, width);
      indices[target + k * inner] = order[k];
    }
  });
  return Status::ok();
}

Status nonzero(Evaluation &e, const core::NonzeroAttrs &attrs) {
  const HostTensor &input = e.operand(0);
  const unsigned rank = input.type.shape.rank();
  std::span<int64_t> indices = e.result(0).data<int64_t>();
  std::fill(indices.begin(), indices.end(), -1);
  int64_t count = 0;
  visitCompute(input, [&]<typename C>(C) {
    const Elements<C> x = load<C>(input);
    size_t next = 0;
    forEachIndex(input.type.shape, [&](const Index &index) {
      if (C(x[next++]) == C(0))
        return;
      if (count < attrs.max_count)
        std::copy_n(index.begin(), rank, indices.begin() + count * rank);
      ++count;
    });
  });
  e.result(1).data<int64_t>()[0] = count;
  return Status::ok();
}

} // namespace

Function meaning::findOrder(OpCode op) {
  switch (op) {
  case OpCode::Sort:
    return Decoding<sort>::call;
  case OpCode::Topk:
    return Decoding<topk>::call;
  case OpCode::Nonzero:
    return Decoding<nonzero>::call;
  default:
    return nullptr;
  }
}

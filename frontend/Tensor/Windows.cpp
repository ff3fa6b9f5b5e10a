#include "frontend/Tensor/Support.h"

namespace burn {

using core::ReduceKind;
using namespace trace;

namespace {

// A window over the last two dimensions, in the arrays that window ops take.
struct Window {
  int64_t size[Shape::maxRank], stride[Shape::maxRank], low[Shape::maxRank], high[Shape::maxRank],
      dilation[Shape::maxRank], one[Shape::maxRank];
  unsigned rank;

  Window(const Recorder &recorder, const Shape &shape, Pair kernel, Pair step, Pair padding, Pair spread, bool ceil)
      : rank(shape.rank()) {
    if (rank < 3 || rank > 4)
      recorder.fail("expects an input [features, h, w] or [batch, features, h, w], got " + shape.str());
    for (unsigned i = 0; i < rank; ++i) {
      size[i] = stride[i] = dilation[i] = one[i] = 1;
      low[i] = high[i] = 0;
    }
    set(recorder, shape, rank - 2, kernel.first, step.first, padding.first, spread.first, ceil);
    set(recorder, shape, rank - 1, kernel.second, step.second, padding.second, spread.second, ceil);
  }

  std::span<const int64_t> span(const int64_t *dims) const { return {dims, rank}; }

  Ref reduce(Recorder &recorder, ReduceKind kind, Ref x) const {
    return recorder.emit(
        core::ReduceWindowAttrs{kind, span(size), span(stride), span(low), span(high), span(one), span(dilation)}, {x});
  }

private:
  void set(const Recorder &recorder, const Shape &shape, unsigned dim, int64_t kernel, int64_t step, int64_t padding,
           int64_t spread, bool ceil) {
    if (kernel < 1 || step < 1 || spread < 1 || padding < 0 || 2 * padding > kernel)
      recorder.fail("expects kernel, stride and dilation >= 1 and padding of at most half the kernel, got " +
                    std::to_string(kernel) + ", " + std::to_string(step) + ", " + std::to_string(spread) + " and " +
                    std::to_string(padding));
    size[dim] = kernel;
    stride[dim] = step;
    dilation[dim] = spread;
    low[dim] = high[dim] = padding;
    const int64_t extent = (kernel - 1) * spread + 1;
    const int64_t room = shape[dim] + 2 * padding - extent;
    if (room < 0)
      recorder.fail("the window of " + std::to_string(extent) + " is larger than the padded dimension " +
                    std::to_string(dim) + " of " + shape.str());
    // A last window that is not full counts if it begins inside the input or its left padding.
    const int64_t last = (room + step - 1) / step * step;
    if (ceil && last > room && last < shape[dim] + padding)
      high[dim] += last - room;
  }
};

} // namespace

Tensor max_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride, Pair padding, Pair dilation, bool ceil_mode,
                  Where where) {
  const LocationScope scope(where);
  Recorder recorder("max_pool2d", {&x});
  const Window window(recorder, x.shape(), kernel, stride.value_or(kernel), padding, dilation, ceil_mode);
  return recorder.finish(window.reduce(recorder, ReduceKind::Max, recorder.use(x)));
}

Tensor avg_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride, Pair padding, Where where) {
  const LocationScope scope(where);
  Recorder recorder("avg_pool2d", {&x});
  const Window window(recorder, x.shape(), kernel, stride.value_or(kernel), padding, 1, false);
  if (!isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(name(x.dtype())) + x.shape().str());
  const Ref total = window.reduce(recorder, ReduceKind::Sum, recorder.use(x));
  return recorder.finish(withNumber(recorder, OpCode::Div, total, kernel.first * kernel.second));
}

} // namespace burn

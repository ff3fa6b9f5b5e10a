#include "frontend/Tensor/Spatial.h"

namespace burn {

using core::ReduceKind;
using namespace trace;

namespace {

// Windows over the spatial dimensions of [batch, features, spatial...], in the arrays that window ops take.
class Pooling {
public:
  Pooling(const Recorder &recorder, const Shape &x, const Spatial &kernel, const Spatial &step, const Spatial &padding,
          const Spatial &spread, bool ceil)
      : batched(recorder, x, kernel.count), rank_(batched.shape().rank()) {
    for (unsigned i = 0; i < rank_; ++i) {
      size_[i] = stride_[i] = dilation_[i] = one_[i] = 1;
      low_[i] = high_[i] = 0;
    }
    for (unsigned i = 0; i < kernel.count; ++i)
      set(recorder, 2 + i, kernel[i], step[i], padding[i], spread[i], ceil);
  }

  Ref reduce(Recorder &recorder, ReduceKind kind, Ref x) const {
    const core::ReduceWindowAttrs attrs{kind,        span(size_), span(stride_),  span(low_),
                                        span(high_), span(one_),  span(dilation_)};
    return recorder.emit(attrs, {batched.enter(recorder, x)});
  }

  Extremum extremum(Recorder &recorder, Ref x) const {
    constexpr int64_t spatial[] = {2, 3, 4};
    const core::ArgReduceWindowAttrs attrs{core::ExtremumKind::Max,
                                           span(size_),
                                           span(stride_),
                                           span(low_),
                                           span(high_),
                                           span(dilation_),
                                           std::span<const int64_t>(spatial, rank_ - 2)};
    const Ref value = recorder.emit(attrs, {batched.enter(recorder, x)});
    return {recorder.tensor(batched.leave(recorder, value)),
            recorder.tensor(batched.leave(recorder, Recorder::result(value, 1)))};
  }

  // How many places of each window count: those inside the padded input, or inside the input. A number where all
  // windows have the same count, else i64 of the result's shape.
  struct Places {
    int64_t every = 1;
    Ref each{};
    bool differ = false;
  };
  Places places(Recorder &recorder, const ShapeEntry *result, bool withPadding) const {
    const auto number = [&](int64_t value) { return recorder.filled(DType::I64, value, result); };
    Places all;
    for (unsigned dim = 2; dim < rank_; ++dim) {
      const int64_t first = withPadding ? -low_[dim] : 0;
      const int64_t behind = batched.shape()[dim] + (withPadding ? low_[dim] : 0);
      const int64_t last = (result->shape[dim] - 1) * stride_[dim] - low_[dim] + size_[dim];
      if (-low_[dim] >= first && last <= behind) { // every window is whole
        all.every *= size_[dim];
        continue;
      }
      Ref begin = recorder.emitTyped(core::IotaAttrs{dim}, {}, DType::I64, result);
      begin = recorder.emit(OpCode::Sub, {multiplied(recorder, begin, number(stride_[dim])), number(low_[dim])});
      Ref end = recorder.emit(OpCode::Min, {recorder.emit(OpCode::Add, {begin, number(size_[dim])}), number(behind)});
      begin = recorder.emit(OpCode::Max, {begin, number(first)});
      const Ref along = recorder.emit(OpCode::Sub, {end, begin});
      all.each = all.differ ? multiplied(recorder, all.each, along) : along;
      all.differ = true;
    }
    if (all.differ && all.every != 1)
      all.each = multiplied(recorder, all.each, number(all.every));
    return all;
  }

  // Mean of each window over its places.
  Ref average(Recorder &recorder, Ref x, bool withPadding, std::optional<int64_t> divisor) const {
    const Ref total = reduce(recorder, ReduceKind::Sum, x);
    if (divisor)
      return withNumber(recorder, OpCode::Div, total, *divisor);
    const Places counted = places(recorder, recorder.shape(total), withPadding);
    if (!counted.differ)
      return withNumber(recorder, OpCode::Div, total, counted.every);
    return recorder.emit(OpCode::Div, {total, recorder.convert(counted.each, recorder.dtype(total))});
  }

  const Batched batched;

private:
  std::span<const int64_t> span(const int64_t *numbers) const { return {numbers, rank_}; }

  void set(const Recorder &recorder, unsigned dim, int64_t kernel, int64_t step, int64_t padding, int64_t spread,
           bool ceil) {
    if (kernel < 1 || step < 1 || spread < 1 || padding < 0 || 2 * padding > kernel)
      recorder.fail("expects kernel, stride and dilation >= 1 and padding of at most half the kernel, got " +
                    std::to_string(kernel) + ", " + std::to_string(step) + ", " + std::to_string(spread) + " and " +
                    std::to_string(padding));
    size_[dim] = kernel;
    stride_[dim] = step;
    dilation_[dim] = spread;
    low_[dim] = high_[dim] = padding;
    const Shape &shape = batched.shape();
    const int64_t extent = (kernel - 1) * spread + 1;
    const int64_t room = shape[dim] + 2 * padding - extent;
    const int64_t last = (room + step - 1) / step * step;
    // A last window that is not full counts if it begins inside the input or its left padding.
    if (ceil && room >= 0 && last > room && last < shape[dim] + padding)
      high_[dim] += last - room;
    if (room < 0)
      recorder.fail("the window of " + std::to_string(extent) + " is larger than the padded dimension " +
                    std::to_string(dim) + " of " + shape.str());
  }

  int64_t size_[Shape::maxRank], stride_[Shape::maxRank], low_[Shape::maxRank], high_[Shape::maxRank],
      dilation_[Shape::maxRank], one_[Shape::maxRank];
  unsigned rank_;
};

void checkFloats(const Recorder &recorder, const Tensor &x) {
  if (!isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(name(x.dtype())) + x.shape().str());
}

Tensor maxPool(const char *name, const Tensor &x, Spatial kernel, Spatial stride, Spatial padding, Spatial dilation,
               bool ceil, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const Pooling pooling(recorder, x.shape(), kernel, stride, padding, dilation, ceil);
  const Ref result = pooling.reduce(recorder, ReduceKind::Max, recorder.use(x));
  return recorder.finish(pooling.batched.leave(recorder, result));
}

Extremum maxPoolWithIndices(const char *name, const Tensor &x, Spatial kernel, Spatial stride, Spatial padding,
                            Spatial dilation, bool ceil, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const Pooling pooling(recorder, x.shape(), kernel, stride, padding, dilation, ceil);
  Extremum result = pooling.extremum(recorder, recorder.use(x));
  recorder.finish();
  return result;
}

Tensor avgPool(const char *name, const Tensor &x, Spatial kernel, Spatial stride, Spatial padding, bool ceil,
               bool countPadding, std::optional<int64_t> divisor, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  checkFloats(recorder, x);
  if (divisor == 0)
    recorder.fail("expects a divisor other than 0");
  const Pooling pooling(recorder, x.shape(), kernel, stride, padding, Spatial::everywhere(1, kernel.count), ceil);
  const Ref input = recorder.convert(recorder.use(x), sumType(x.dtype()));
  const Ref result = recorder.convert(pooling.average(recorder, input, countPadding, divisor), x.dtype());
  return recorder.finish(pooling.batched.leave(recorder, result));
}

Tensor lpPool(const char *name, const Tensor &x, double norm, Spatial kernel, Spatial stride, bool ceil,
              const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  checkFloats(recorder, x);
  if (!(norm > 0))
    recorder.fail("expects a norm type above 0, got " + std::to_string(norm));
  const unsigned count = kernel.count;
  const Pooling pooling(recorder, x.shape(), kernel, stride, Spatial::everywhere(0, count),
                        Spatial::everywhere(1, count), ceil);
  const Ref input = recorder.convert(recorder.use(x), sumType(x.dtype()));
  Ref total = pooling.reduce(recorder, ReduceKind::Sum, withNumber(recorder, OpCode::Pow, input, norm));
  const ShapeEntry *shape = recorder.shape(total);
  if (const Pooling::Places counted = pooling.places(recorder, shape, true); counted.differ) {
    // A window that leaves the input stands for a whole one.
    const Ref whole = withNumber(recorder, OpCode::Mul, total, kernel.product());
    total = recorder.emit(OpCode::Div, {whole, recorder.convert(counted.each, recorder.dtype(total))});
  }
  // The root of 0 is kept away from its infinite derivative.
  const Ref zero = recorder.filled(recorder.dtype(total), 0, shape),
            one = recorder.filled(recorder.dtype(total), 1, shape);
  const Ref isZero = compared(recorder, core::CompareDirection::EQ, total, zero);
  const Ref safe = recorder.emit(OpCode::Select, {isZero, one, total});
  const Ref root = recorder.emit(OpCode::Select, {isZero, zero, withNumber(recorder, OpCode::Pow, safe, 1 / norm)});
  return recorder.finish(pooling.batched.leave(recorder, recorder.convert(root, x.dtype())));
}

} // namespace

Tensor max_pool1d(const Tensor &x, int64_t kernel, std::optional<int64_t> stride, int64_t padding, int64_t dilation,
                  bool ceil_mode, Where where) {
  return maxPool("max_pool1d", x, kernel, stride.value_or(kernel), padding, dilation, ceil_mode, where);
}

Tensor max_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride, Pair padding, Pair dilation, bool ceil_mode,
                  Where where) {
  return maxPool("max_pool2d", x, kernel, stride.value_or(kernel), padding, dilation, ceil_mode, where);
}

Tensor max_pool3d(const Tensor &x, Triple kernel, std::optional<Triple> stride, Triple padding, Triple dilation,
                  bool ceil_mode, Where where) {
  return maxPool("max_pool3d", x, kernel, stride.value_or(kernel), padding, dilation, ceil_mode, where);
}

Extremum max_pool1d_with_indices(const Tensor &x, int64_t kernel, std::optional<int64_t> stride, int64_t padding,
                                 int64_t dilation, bool ceil_mode, Where where) {
  return maxPoolWithIndices("max_pool1d_with_indices", x, kernel, stride.value_or(kernel), padding, dilation, ceil_mode,
                            where);
}

Extremum max_pool2d_with_indices(const Tensor &x, Pair kernel, std::optional<Pair> stride, Pair padding, Pair dilation,
                                 bool ceil_mode, Where where) {
  return maxPoolWithIndices("max_pool2d_with_indices", x, kernel, stride.value_or(kernel), padding, dilation, ceil_mode,
                            where);
}

Extremum max_pool3d_with_indices(const Tensor &x, Triple kernel, std::optional<Triple> stride, Triple padding,
                                 Triple dilation, bool ceil_mode, Where where) {
  return maxPoolWithIndices("max_pool3d_with_indices", x, kernel, stride.value_or(kernel), padding, dilation, ceil_mode,
                            where);
}

Tensor avg_pool1d(const Tensor &x, int64_t kernel, std::optional<int64_t> stride, int64_t padding, bool ceil_mode,
                  bool count_include_pad, Where where) {
  return avgPool("avg_pool1d", x, kernel, stride.value_or(kernel), padding, ceil_mode, count_include_pad, std::nullopt,
                 where);
}

Tensor avg_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride, Pair padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override, Where where) {
  return avgPool("avg_pool2d", x, kernel, stride.value_or(kernel), padding, ceil_mode, count_include_pad,
                 divisor_override, where);
}

Tensor avg_pool3d(const Tensor &x, Triple kernel, std::optional<Triple> stride, Triple padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override, Where where) {
  return avgPool("avg_pool3d", x, kernel, stride.value_or(kernel), padding, ceil_mode, count_include_pad,
                 divisor_override, where);
}

Tensor lp_pool1d(const Tensor &x, double norm_type, int64_t kernel, std::optional<int64_t> stride, bool ceil_mode,
                 Where where) {
  return lpPool("lp_pool1d", x, norm_type, kernel, stride.value_or(kernel), ceil_mode, where);
}

Tensor lp_pool2d(const Tensor &x, double norm_type, Pair kernel, std::optional<Pair> stride, bool ceil_mode,
                 Where where) {
  return lpPool("lp_pool2d", x, norm_type, kernel, stride.value_or(kernel), ceil_mode, where);
}

Tensor lp_pool3d(const Tensor &x, double norm_type, Triple kernel, std::optional<Triple> stride, bool ceil_mode,
                 Where where) {
  return lpPool("lp_pool3d", x, norm_type, kernel, stride.value_or(kernel), ceil_mode, where);
}

} // namespace burn

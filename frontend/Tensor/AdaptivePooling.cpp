// Pooling to a given size. Bins of one dimension may overlap and differ in length, so their elements are gathered:
// bin i as a row of as many places as the longest bin has. Dimensions are pooled one after the other, the last one
// first, so that of equal maxima the first in row-major order takes the gradient.
#include "frontend/Tensor/Spatial.h"

#include <algorithm>
#include <numeric>

namespace burn {

using core::ReduceKind;
using namespace trace;

namespace {

// With size = q bins + r, bin i covers q + ceil((i + 1) r / bins) - floor(i r / bins) places. The remainders of i r by
// `bins` are the multiples of g = gcd(r, bins), up to bins - g: a bin reaches over two borders where r > g.
int64_t longestBin(int64_t size, int64_t bins) {
  const int64_t q = size / bins, r = size % bins;
  return q + (r == 0 ? 0 : r > std::gcd(r, bins) ? 2 : 1);
}

// Indices of [bins, longest] places of one dimension.
struct Bins {
  Bins(Recorder &recorder, int64_t size, int64_t bins, int64_t longest)
      : recorder(recorder), shape(internShape(Shape{bins, longest})) {
    const Ref bin = iota(0), scaled = recorder.emit(OpCode::Mul, {bin, number(size)});
    begin = recorder.emit(OpCode::Div, {scaled, number(bins)});
    const Ref next = recorder.emit(OpCode::Add, {scaled, number(size + bins - 1)});
    end = recorder.emit(OpCode::Div, {next, number(bins)});
    place = recorder.emit(OpCode::Add, {begin, iota(1)});
  }

  Ref iota(int64_t dim) { return recorder.emitTyped(core::IotaAttrs{dim}, {}, DType::I64, shape); }
  Ref number(int64_t value) { return recorder.filled(DType::I64, value, shape); }

  Recorder &recorder;
  const ShapeEntry *shape;
  Ref begin{}, end{}, place{};
};

// The elements of `x` along `dim` at indices of [bins, longest]: [..., bins, longest, ...].
Ref gatherBins(Recorder &recorder, Ref x, unsigned dim, Ref indices) {
  const Shape from = recorder.shape(x)->shape, bins = recorder.shape(indices)->shape;
  int64_t offsets[Shape::maxRank], sizes[Shape::maxRank];
  for (unsigned i = 0, next = 0; i < from.rank(); ++i) {
    sizes[i] = i == dim ? 1 : from[i];
    if (i != dim)
      offsets[next++] = i < dim ? i : i + 1;
  }
  const int64_t axis[] = {dim};
  return recorder.emit(core::GatherAttrs{std::span<const int64_t>(offsets, from.rank() - 1),
                                         axis,
                                         {},
                                         {},
                                         axis,
                                         bins.rank(),
                                         std::span<const int64_t>(sizes, from.rank()),
                                         core::IndexMode::AssumeValid},
                       {x, indices});
}

Ref poolDim(Recorder &recorder, Ref x, unsigned dim, int64_t bins, ReduceKind kind) {
  const int64_t size = recorder.shape(x)->shape[dim];
  if (size == bins)
    return x;
  const uint32_t along = 1u << (dim + 1);
  if (bins != 0 && size % bins == 0) { // the bins lie side by side
    Shape split;
    for (const int64_t extent : recorder.shape(x)->shape) {
      const bool isPooled = split.rank() == dim;
      split.push(isPooled ? bins : extent);
      if (isPooled)
        split.push(size / bins);
    }
    const Ref result = reduced(recorder, kind, recorder.reshape(x, split), along, false);
    return kind == ReduceKind::Max ? result : withNumber(recorder, OpCode::Div, result, size / bins);
  }
  const int64_t longest = bins == 0 ? 1 : longestBin(size, bins);
  // The borders of bins are products of both sizes.
  if (!Shape{bins, std::max(size, longest)}.fits())
    recorder.fail("an output size of " + std::to_string(bins) + " is too large for " + std::to_string(size) +
                  " elements");
  Bins indices(recorder, size, bins, longest);
  const Ref last = recorder.emit(OpCode::Sub, {indices.end, indices.number(1)});
  // Places behind a bin repeat its last element: the maximum is the same, a mean leaves them out.
  const Ref elements = gatherBins(recorder, x, dim, recorder.emit(OpCode::Min, {indices.place, last}));
  const ShapeEntry *spread = recorder.shape(elements);
  if (kind == ReduceKind::Max)
    return reduced(recorder, ReduceKind::Max, elements, along, false);
  const DType type = recorder.dtype(x);
  const int64_t dims[] = {dim, dim + 1};
  const Ref inside = compared(recorder, core::CompareDirection::LT, indices.place, indices.end);
  const Ref mask = recorder.emitTyped(core::BroadcastAttrs{dims}, {inside}, DType::Bool, spread);
  const Ref counted = recorder.emit(OpCode::Select, {mask, elements, recorder.filled(type, 0, spread)});
  const Ref total = reduced(recorder, ReduceKind::Sum, counted, along, false);
  // The number of elements of each bin.
  const int64_t row[] = {0, 0}, one[] = {bins, 1}, step[] = {1, 1}, binDim[] = {dim};
  const Ref lengths = recorder.emit(OpCode::Sub, {indices.end, indices.begin});
  const Ref each = recorder.reshape(recorder.slice(lengths, row, one, step), Shape{bins});
  const Ref divisor =
      recorder.emitTyped(core::BroadcastAttrs{binDim}, {recorder.convert(each, type)}, type, recorder.shape(total));
  return recorder.emit(OpCode::Div, {total, divisor});
}

Tensor adaptive(const char *name, const Tensor &x, ReduceKind kind, Spatial size, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const bool mean = kind == ReduceKind::Sum;
  if (mean && !isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(burn::name(x.dtype())) + x.shape().str());
  const Batched batched(recorder, x.shape(), size.count);
  for (unsigned i = 0; i < size.count; ++i) {
    if (size[i] < 0)
      recorder.fail("expects an output size >= 0, got " + std::to_string(size[i]));
    if (batched.shape()[2 + i] == 0)
      recorder.fail("expects spatial dimensions above 0, got " + x.shape().str());
  }
  Ref value = batched.enter(recorder, recorder.use(x));
  if (mean)
    value = recorder.convert(value, sumType(x.dtype()));
  for (unsigned i = size.count; i-- > 0;)
    value = poolDim(recorder, value, 2 + i, size[i], kind);
  return recorder.finish(batched.leave(recorder, recorder.convert(value, x.dtype())));
}

} // namespace

Tensor adaptive_avg_pool1d(const Tensor &x, int64_t output_size, Where where) {
  return adaptive("adaptive_avg_pool1d", x, ReduceKind::Sum, output_size, where);
}

Tensor adaptive_avg_pool2d(const Tensor &x, Pair output_size, Where where) {
  return adaptive("adaptive_avg_pool2d", x, ReduceKind::Sum, output_size, where);
}

Tensor adaptive_avg_pool3d(const Tensor &x, Triple output_size, Where where) {
  return adaptive("adaptive_avg_pool3d", x, ReduceKind::Sum, output_size, where);
}

Tensor adaptive_max_pool1d(const Tensor &x, int64_t output_size, Where where) {
  return adaptive("adaptive_max_pool1d", x, ReduceKind::Max, output_size, where);
}

Tensor adaptive_max_pool2d(const Tensor &x, Pair output_size, Where where) {
  return adaptive("adaptive_max_pool2d", x, ReduceKind::Max, output_size, where);
}

Tensor adaptive_max_pool3d(const Tensor &x, Triple output_size, Where where) {
  return adaptive("adaptive_max_pool3d", x, ReduceKind::Max, output_size, where);
}

} // namespace burn

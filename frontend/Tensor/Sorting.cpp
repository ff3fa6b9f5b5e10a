// Ordering the elements of a dimension, and what is read off the order.
#include "frontend/Tensor/AlongDim.h"

#include <limits>

namespace burn {

using namespace trace;

namespace {

struct SortedRefs {
  Ref values, indices;
  unsigned axis;
  int64_t length;
};

SortedRefs sortedAlong(Recorder &recorder, Ref value, int64_t dim, bool descending) {
  const unsigned axis = lineDim(recorder, value, dim);
  const ShapeEntry *shape = recorder.shape(value);
  const Ref values = recorder.emit(core::SortAttrs{axis, descending}, {value, placesAlong(recorder, shape, axis)});
  return {values, Recorder::result(values, 1), axis, shape->shape[axis]};
}

Shape without(const Shape &shape, unsigned axis, bool keepdim) {
  Shape result;
  for (unsigned i = 0; i < shape.rank(); ++i)
    if (i != axis)
      result.push(shape[i]);
    else if (keepdim)
      result.push(1);
  return result;
}

// What stands at `ranks` (size 1 along the axis) of the order.
Extremum atRanks(Recorder &recorder, const SortedRefs &sorted, Ref ranks, const Shape &result) {
  const auto at = [&](Ref from) {
    return recorder.tensor(
        recorder.reshape(gatherAlong(recorder, from, ranks, sorted.axis, core::IndexMode::AssumeValid), result));
  };
  Extremum extremum{at(sorted.values), at(sorted.indices)};
  recorder.finish();
  return extremum;
}

void checkNotEmpty(const Recorder &recorder, int64_t length) {
  if (length == 0)
    recorder.fail("expects at least one element");
}

// How many elements of each line are NaN, with size 1 along the axis.
Ref countNaN(Recorder &recorder, Ref x, unsigned axis) {
  const Ref isNaN = compared(recorder, core::CompareDirection::NE, x, x);
  return reduced(recorder, core::ReduceKind::Sum, recorder.convert(isNaN, DType::I64), 1u << axis, true);
}

Extremum medianAlong(const char *name, const Tensor &x, int64_t dim, bool keepdim, bool skipNaN, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  if (x.dtype() == DType::Bool)
    recorder.fail("expects numbers, got booleans");
  const SortedRefs sorted = sortedAlong(recorder, recorder.use(x), dim, false);
  checkNotEmpty(recorder, sorted.length);
  const Shape shape = recorder.shape(sorted.values)->shape;
  const Shape result = x.shape().rank() ? without(shape, sorted.axis, keepdim) : Shape{};
  const ShapeEntry *line = internShape(without(shape, sorted.axis, true));
  const Ref middle = recorder.filled(DType::I64, (sorted.length - 1) / 2, line);
  if (!isFloat(x.dtype()))
    return atRanks(recorder, sorted, middle, result);
  const Ref invalid = countNaN(recorder, sorted.values, sorted.axis), none = recorder.filled(DType::I64, 0, line);
  const Ref length = recorder.filled(DType::I64, sorted.length, line);
  const Ref valid = recorder.emit(OpCode::Sub, {length, invalid});
  if (skipNaN) {
    const Ref last = withNumber(recorder, OpCode::Sub, valid, 1);
    const Ref rank = recorder.emit(OpCode::Max, {withNumber(recorder, OpCode::Div, last, 2), none});
    return atRanks(recorder, sorted, rank, result);
  }
  const Ref anyNaN = compared(recorder, core::CompareDirection::GT, invalid, none);
  return atRanks(recorder, sorted, recorder.emit(OpCode::Select, {anyNaN, valid, middle}), result);
}

struct QuantileRequest {
  const char *name;
  std::optional<int64_t> dim;
  bool keepdim, skipNaN;
  QuantileInterpolation interpolation;
};

// With `one` the single fraction makes no dimension.
Tensor quantiles(const QuantileRequest &request, const Tensor &x, const std::vector<double> &q, bool one,
                 const Where &where) {
  const LocationScope scope(where);
  const DeviceScope device(x);
  for (double fraction : q)
    if (!(fraction >= 0 && fraction <= 1))
      raiseInvalid(std::string(request.name) + ": expects fractions in [0, 1], got " + std::to_string(fraction));
  const auto count = static_cast<int64_t>(q.size());
  const Tensor fractions = from_data(q.data(), Dims(count), DType::F64);
  Recorder recorder(request.name, {&x, &fractions});
  if (!isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(burn::name(x.dtype())) + x.shape().str());
  Ref value = recorder.use(x);
  if (!request.dim)
    value = recorder.reshape(value, Shape{x.numel()});
  const SortedRefs sorted = sortedAlong(recorder, value, request.dim.value_or(0), false);
  checkNotEmpty(recorder, sorted.length);
  const Shape shape = recorder.shape(sorted.values)->shape;
  const DType dtype = x.dtype();
  // Each line's places between 0 and the last element, one for each fraction.
  Shape picked = shape, beside;
  picked[sorted.axis] = count;
  for (unsigned i = 0; i < shape.rank(); ++i)
    beside.push(i == sorted.axis ? count : 1);
  const ShapeEntry *pickedShape = internShape(picked);
  const Ref invalid = recorder.broadcast(countNaN(recorder, sorted.values, sorted.axis), pickedShape);
  const auto filled = [&](DType type, const Scalar &number) { return recorder.filled(type, number, pickedShape); };
  const Ref last = filled(DType::I64, sorted.length - 1);
  const Ref lastValid =
      request.skipNaN ? recorder.emit(OpCode::Max, {recorder.emit(OpCode::Sub, {last, invalid}), filled(DType::I64, 0)})
                      : last;
  const Ref fraction = recorder.broadcast(recorder.reshape(recorder.use(fractions), beside), pickedShape);
  // In f64, which holds every place.
  const Ref place = multiplied(recorder, fraction, recorder.convert(lastValid, DType::F64));
  const auto at = [&](Ref whole) {
    const Ref rank = recorder.emit(OpCode::Min, {recorder.convert(whole, DType::I64), lastValid});
    return gatherAlong(recorder, sorted.values, rank, sorted.axis, core::IndexMode::AssumeValid);
  };
  const Ref below = recorder.emit(OpCode::Floor, {place}), above = recorder.emit(OpCode::Ceil, {place});
  Ref result;
  switch (request.interpolation) {
  case QuantileInterpolation::Lower:
    result = at(below);
    break;
  case QuantileInterpolation::Higher:
    result = at(above);
    break;
  case QuantileInterpolation::Nearest:
    result = at(recorder.emit(OpCode::RoundEven, {place}));
    break;
  case QuantileInterpolation::Linear:
  case QuantileInterpolation::Midpoint: {
    const Ref low = at(below), high = at(above);
    const Ref weight = request.interpolation == QuantileInterpolation::Linear
                           ? recorder.convert(recorder.emit(OpCode::Sub, {place, below}), dtype)
                           : filled(dtype, 0.5);
    const Ref between =
        recorder.emit(OpCode::Add, {low, multiplied(recorder, weight, recorder.emit(OpCode::Sub, {high, low}))});
    // Between infinite equals the difference would be NaN.
    result = recorder.emit(OpCode::Select, {compared(recorder, core::CompareDirection::EQ, low, high), low, between});
    break;
  }
  }
  if (!request.skipNaN) {
    const Ref anyNaN = compared(recorder, core::CompareDirection::GT, invalid, filled(DType::I64, 0));
    const Ref nan = filled(dtype, std::numeric_limits<double>::quiet_NaN());
    result = recorder.emit(OpCode::Select, {anyNaN, nan, result});
  }
  // The fractions come first.
  int64_t order[Shape::maxRank];
  order[0] = sorted.axis;
  for (unsigned i = 0, next = 1; i < shape.rank(); ++i)
    if (i != sorted.axis)
      order[next++] = i;
  result = recorder.transpose(result, std::span<const int64_t>(order, shape.rank()));
  Shape to;
  if (!one)
    to.push(count);
  if (request.dim && x.shape().rank()) {
    for (int64_t size : without(shape, sorted.axis, request.keepdim).dims())
      to.push(size);
  } else if (request.keepdim) {
    for (unsigned i = 0; i < x.shape().rank(); ++i)
      to.push(1);
  }
  return recorder.finish(recorder.reshape(result, to));
}

} // namespace

Sorted sort(const Tensor &x, int64_t dim, bool descending, Where where) {
  const LocationScope scope(where);
  Recorder recorder("sort", {&x});
  const SortedRefs sorted = sortedAlong(recorder, recorder.use(x), dim, descending);
  Sorted result{recorder.tensor(recorder.reshape(sorted.values, x.shape())),
                recorder.tensor(recorder.reshape(sorted.indices, x.shape()))};
  recorder.finish();
  return result;
}

Tensor argsort(const Tensor &x, int64_t dim, bool descending, Where where) {
  return sort(x, dim, descending, where).indices;
}

Tensor msort(const Tensor &x, Where where) { return sort(x, 0, false, where).values; }

Sorted topk(const Tensor &x, int64_t k, int64_t dim, bool largest, Where where) {
  const LocationScope scope(where);
  Recorder recorder("topk", {&x});
  Ref value = recorder.use(x);
  const int64_t axis = lineDim(recorder, value, dim);
  const Ref values = recorder.emit(core::TopkAttrs{axis, k, largest}, {value});
  const Shape shape = x.shape().rank() || k != 1 ? recorder.shape(values)->shape : Shape{};
  Sorted result{recorder.tensor(recorder.reshape(values, shape)),
                recorder.tensor(recorder.reshape(Recorder::result(values, 1), shape))};
  recorder.finish();
  return result;
}

Extremum kthvalue(const Tensor &x, int64_t k, int64_t dim, bool keepdim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("kthvalue", {&x});
  const SortedRefs sorted = sortedAlong(recorder, recorder.use(x), dim, false);
  if (k < 1 || k > sorted.length)
    recorder.fail("expects k between 1 and " + std::to_string(sorted.length) + ", got " + std::to_string(k));
  const Shape shape = recorder.shape(sorted.values)->shape;
  const Ref rank = recorder.filled(DType::I64, k - 1, internShape(without(shape, sorted.axis, true)));
  return atRanks(recorder, sorted, rank, x.shape().rank() ? without(shape, sorted.axis, keepdim) : Shape{});
}

Extremum median(const Tensor &x, int64_t dim, bool keepdim, Where where) {
  return medianAlong("median", x, dim, keepdim, false, where);
}
Tensor median(const Tensor &x, Where where) {
  const LocationScope scope(where);
  return medianAlong("median", x.flatten(), 0, false, false, where).values;
}
Extremum nanmedian(const Tensor &x, int64_t dim, bool keepdim, Where where) {
  return medianAlong("nanmedian", x, dim, keepdim, true, where);
}
Tensor nanmedian(const Tensor &x, Where where) {
  const LocationScope scope(where);
  return medianAlong("nanmedian", x.flatten(), 0, false, true, where).values;
}

Tensor quantile(const Tensor &x, double q, std::optional<int64_t> dim, bool keepdim,
                QuantileInterpolation interpolation, Where where) {
  return quantiles({"quantile", dim, keepdim, false, interpolation}, x, {q}, true, where);
}
Tensor quantile(const Tensor &x, const std::vector<double> &q, std::optional<int64_t> dim, bool keepdim,
                QuantileInterpolation interpolation, Where where) {
  return quantiles({"quantile", dim, keepdim, false, interpolation}, x, q, false, where);
}
Tensor nanquantile(const Tensor &x, double q, std::optional<int64_t> dim, bool keepdim,
                   QuantileInterpolation interpolation, Where where) {
  return quantiles({"nanquantile", dim, keepdim, true, interpolation}, x, {q}, true, where);
}
Tensor nanquantile(const Tensor &x, const std::vector<double> &q, std::optional<int64_t> dim, bool keepdim,
                   QuantileInterpolation interpolation, Where where) {
  return quantiles({"nanquantile", dim, keepdim, true, interpolation}, x, q, false, where);
}

Sorted Tensor::sort(int64_t dim, bool descending, Where where) const {
  return burn::sort(*this, dim, descending, where);
}
Tensor Tensor::argsort(int64_t dim, bool descending, Where where) const {
  return burn::argsort(*this, dim, descending, where);
}
Tensor Tensor::msort(Where where) const { return burn::msort(*this, where); }
Sorted Tensor::topk(int64_t k, int64_t dim, bool largest, Where where) const {
  return burn::topk(*this, k, dim, largest, where);
}
Extremum Tensor::kthvalue(int64_t k, int64_t dim, bool keepdim, Where where) const {
  return burn::kthvalue(*this, k, dim, keepdim, where);
}
Tensor Tensor::median(Where where) const { return burn::median(*this, where); }
Extremum Tensor::median(int64_t dim, bool keepdim, Where where) const {
  return burn::median(*this, dim, keepdim, where);
}
Tensor Tensor::nanmedian(Where where) const { return burn::nanmedian(*this, where); }
Extremum Tensor::nanmedian(int64_t dim, bool keepdim, Where where) const {
  return burn::nanmedian(*this, dim, keepdim, where);
}
Tensor Tensor::quantile(double q, std::optional<int64_t> dim, bool keepdim, QuantileInterpolation interpolation,
                        Where where) const {
  return burn::quantile(*this, q, dim, keepdim, interpolation, where);
}
Tensor Tensor::nanquantile(double q, std::optional<int64_t> dim, bool keepdim, QuantileInterpolation interpolation,
                           Where where) const {
  return burn::nanquantile(*this, q, dim, keepdim, interpolation, where);
}

} // namespace burn

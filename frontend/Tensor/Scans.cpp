// Combinations of each element with those before it.
#include "frontend/Tensor/AlongDim.h"

#include <limits>

namespace burn {

using core::CompareDirection;
using core::ScanKind;
using namespace trace;

namespace {

Tensor accumulated(const char *name, ScanKind kind, const Tensor &x, int64_t dim, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  Ref value = recorder.convert(recorder.use(x), isFloat(x.dtype()) ? x.dtype() : DType::I64);
  const int64_t axis = lineDim(recorder, value, dim);
  return recorder.finish(
      recorder.reshape(recorder.emit(core::ScanAttrs{kind, axis, false, false}, {value}), x.shape()));
}

Extremum prefixExtremum(const char *name, ScanKind kind, const Tensor &x, int64_t dim, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  // A scan takes no booleans.
  const DType dtype = x.dtype() == DType::Bool ? DType::U8 : x.dtype();
  Ref value = recorder.convert(recorder.use(x), dtype);
  const unsigned axis = lineDim(recorder, value, dim);
  const ShapeEntry *shape = recorder.shape(value);
  const auto scan = [&](ScanKind combiner, Ref operand) {
    return recorder.emit(core::ScanAttrs{combiner, axis, false, false}, {operand});
  };
  // The last element so far that is as good as the extremum; the first one always is at its own place.
  const Ref extreme = scan(kind, value);
  Ref isExtreme = compared(recorder, CompareDirection::EQ, value, extreme);
  if (isFloat(dtype))
    isExtreme = recorder.emit(OpCode::Or, {isExtreme, compared(recorder, CompareDirection::NE, value, value)});
  const Ref places = placesAlong(recorder, shape, axis);
  const Ref candidates = recorder.emit(OpCode::Select, {isExtreme, places, recorder.filled(DType::I64, 0, shape)});
  const Ref indices = scan(ScanKind::Max, candidates);
  const Ref values = gatherAlong(recorder, value, indices, axis, core::IndexMode::AssumeValid);
  Extremum result{recorder.tensor(recorder.reshape(recorder.convert(values, x.dtype()), x.shape())),
                  recorder.tensor(recorder.reshape(indices, x.shape()))};
  recorder.finish();
  return result;
}

// The integrals over the pieces between neighbours, summed up.
Tensor summedPieces(const Tensor &y, const Tensor &width, int64_t dim) {
  const int64_t count = std::max<int64_t>(y.size(dim) - 1, 0), first = std::min<int64_t>(y.size(dim), 1);
  const Tensor pairs = y.narrow(dim, first, count) + y.narrow(dim, 0, count);
  return cumsum(pairs * width, dim) / 2;
}

void checkSamples(const Tensor &y) {
  if (y.shape().rank() == 0)
    raiseInvalid("cumulative_trapezoid: expects at least one dimension, got rank 0");
}

} // namespace

Tensor cumsum(const Tensor &x, int64_t dim, Where where) { return accumulated("cumsum", ScanKind::Sum, x, dim, where); }
Tensor cumprod(const Tensor &x, int64_t dim, Where where) {
  return accumulated("cumprod", ScanKind::Prod, x, dim, where);
}
Extremum cummax(const Tensor &x, int64_t dim, Where where) {
  return prefixExtremum("cummax", ScanKind::Max, x, dim, where);
}
Extremum cummin(const Tensor &x, int64_t dim, Where where) {
  return prefixExtremum("cummin", ScanKind::Min, x, dim, where);
}

// With the greatest element so far m: s[i] = s[i-1] exp(m[i-1] - m[i]) + exp(x[i] - m[i]), and the result m + log s.
Tensor logcumsumexp(const Tensor &x, int64_t dim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("logcumsumexp", {&x});
  const DType dtype = realType(x.dtype());
  Ref value = recorder.convert(recorder.use(x), dtype);
  const int64_t axis = lineDim(recorder, value, dim);
  const ShapeEntry *shape = recorder.shape(value);
  const Ref zero = recorder.filled(dtype, 0, shape);
  const Ref infinity = recorder.filled(dtype, std::numeric_limits<double>::infinity(), shape);
  const auto greatest = [&](bool exclusive) {
    const Ref scan = recorder.emit(core::ScanAttrs{ScanKind::Max, axis, exclusive, false}, {value});
    // 0 where infinite, so that inf - inf does not arise.
    const Ref isInfinite = compared(recorder, CompareDirection::EQ, recorder.emit(OpCode::Abs, {scan}), infinity);
    return recorder.emit(OpCode::StopGradient, {recorder.emit(OpCode::Select, {isInfinite, zero, scan})});
  };
  const Ref now = greatest(false), before = greatest(true);
  // Never above 1: only where one of them was infinite the difference may be positive.
  const Ref fall = recorder.emit(OpCode::Min, {recorder.emit(OpCode::Sub, {before, now}), zero});
  const Ref term = recorder.emit(OpCode::Exp, {recorder.emit(OpCode::Sub, {value, now})});
  const Ref sum = recorder.emit(core::LinearScanAttrs{axis, false}, {recorder.emit(OpCode::Exp, {fall}), term});
  const Ref result = recorder.emit(OpCode::Add, {recorder.emit(OpCode::Log, {sum}), now});
  return recorder.finish(recorder.reshape(result, x.shape()));
}

Tensor linear_scan(const Tensor &factor, const Tensor &x, int64_t dim, bool reverse, Where where) {
  const LocationScope scope(where);
  const Operand left(factor, where), right(x, where);
  Recorder recorder("linear_scan", TensorOperands{&left, &right});
  BinaryOperands operands = prepareBinary(recorder, left, right, BinaryTypes::Numbers);
  const int64_t axis = lineDim(recorder, operands.a, dim);
  lineDim(recorder, operands.b, dim);
  const Ref result = recorder.emit(core::LinearScanAttrs{axis, reverse}, {operands.a, operands.b});
  return recorder.finish(recorder.reshape(result, operands.shape->shape));
}

Tensor cumulative_trapezoid(const Tensor &y, double dx, int64_t dim, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(y);
  checkSamples(y);
  return summedPieces(y, full({}, dx, realType(y.dtype())), dim);
}

Tensor cumulative_trapezoid(const Tensor &y, const Tensor &x, int64_t dim, Where where) {
  const LocationScope scope(where);
  checkSamples(y);
  const unsigned axis = checkedDim("cumulative_trapezoid", dim, y.shape().rank());
  if (x.shape().rank() == 0)
    raiseInvalid("cumulative_trapezoid: expects positions of at least one dimension, got rank 0");
  const bool beside = x.shape().rank() == 1 && y.shape().rank() > 1;
  const int64_t along = beside ? 0 : axis;
  const int64_t count = std::max<int64_t>(x.size(along) - 1, 0), first = std::min<int64_t>(x.size(along), 1);
  Tensor width = x.narrow(along, first, count) - x.narrow(along, 0, count);
  if (beside) {
    Shape shape;
    for (unsigned i = 0; i < y.shape().rank(); ++i)
      shape.push(i == axis ? count : 1);
    width = width.reshape(shape);
  }
  return summedPieces(y, width, axis);
}

Tensor Tensor::cumsum(int64_t dim, Where where) const { return burn::cumsum(*this, dim, where); }
Tensor Tensor::cumprod(int64_t dim, Where where) const { return burn::cumprod(*this, dim, where); }
Extremum Tensor::cummax(int64_t dim, Where where) const { return burn::cummax(*this, dim, where); }
Extremum Tensor::cummin(int64_t dim, Where where) const { return burn::cummin(*this, dim, where); }
Tensor Tensor::logcumsumexp(int64_t dim, Where where) const { return burn::logcumsumexp(*this, dim, where); }

} // namespace burn

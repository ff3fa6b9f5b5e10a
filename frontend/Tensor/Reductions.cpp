#include "frontend/Tensor/Support.h"

#include <limits>

namespace burn {

using core::CompareDirection;
using core::ExtremumKind;
using core::ReduceKind;
using namespace trace;

namespace {

// sum and prod of booleans and integers are i64.
DType accumulated(DType dtype) { return isFloat(dtype) ? dtype : DType::I64; }

Tensor reduction(const char *name, ReduceKind kind, const Tensor &x, const Dims &dims, bool keepdim,
                 const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const uint32_t set = checkedDims(name, dims, x.shape().rank());
  Ref value = recorder.use(x);
  if (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
    value = recorder.convert(value, accumulated(x.dtype()));
  else if (kind == ReduceKind::And || kind == ReduceKind::Or)
    value = recorder.convert(value, DType::Bool);
  else
    for (unsigned i = 0; i < x.shape().rank(); ++i)
      if (set >> i & 1 && x.shape()[i] == 0)
        recorder.fail("dimension " + std::to_string(i) + " of " + x.shape().str() + " is empty: no extremum");
  return recorder.finish(reduced(recorder, kind, value, set, keepdim));
}

Shape without(const Shape &shape, unsigned dim, bool keep) {
  Shape result;
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (i != dim)
      result.push(shape[i]);
    else if (keep)
      result.push(1);
  }
  return result;
}

// Value and index along a dimension.
std::pair<Ref, Ref> extremum(Recorder &recorder, ExtremumKind kind, Ref x, int64_t dim, bool keepdim) {
  Shape shape = recorder.shape(x)->shape;
  if (shape.rank() == 0)
    x = recorder.reshape(x, shape = Shape{1});
  const unsigned axis = checkedDim(recorder.name(), dim, shape.rank());
  const Ref value = recorder.emit(core::ArgReduceAttrs{kind, axis}, {x});
  Shape result = without(shape, axis, keepdim);
  return {recorder.reshape(value, result), recorder.reshape(Recorder::result(value, 1), result)};
}

Extremum extremum(const char *name, ExtremumKind kind, const Tensor &x, int64_t dim, bool keepdim, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const auto [value, index] = extremum(recorder, kind, recorder.use(x), dim, keepdim && x.shape().rank());
  Extremum result{recorder.tensor(value), recorder.tensor(index)};
  recorder.finish();
  return result;
}

Tensor position(const char *name, ExtremumKind kind, const Tensor &x, std::optional<int64_t> dim, bool keepdim,
                const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  Ref value = recorder.use(x);
  if (!dim)
    value = recorder.reshape(value, Shape{x.numel()});
  const Ref index = extremum(recorder, kind, value, dim.value_or(0), dim && keepdim && x.shape().rank()).second;
  if (dim || !keepdim)
    return recorder.finish(index);
  Shape ones;
  for (unsigned i = 0; i < x.shape().rank(); ++i)
    ones.push(1);
  return recorder.finish(recorder.reshape(index, ones));
}

int64_t countOf(const Shape &shape, uint32_t dims) {
  int64_t count = 1;
  for (unsigned i = 0; i < shape.rank(); ++i)
    if (dims >> i & 1)
      count *= shape[i];
  return count;
}

// Mean and variance.
std::pair<Ref, Ref> moments(Recorder &recorder, Ref x, const Dims &dims, int64_t correction, bool keepdim) {
  const ShapeEntry *shape = recorder.shape(x);
  if (!isFloat(recorder.dtype(x)))
    recorder.fail("expects floats, got " + std::string(burn::name(recorder.dtype(x))) + shape->shape.str());
  if (correction < 0)
    recorder.fail("expects a correction that is not negative, got " + std::to_string(correction));
  const uint32_t set = checkedDims(recorder.name(), dims, shape->shape.rank());
  int64_t list[Shape::maxRank];
  size_t count = 0;
  Shape kept;
  for (unsigned i = 0; i < shape->shape.rank(); ++i) {
    if (set >> i & 1)
      list[count++] = i;
    kept.push(set >> i & 1 ? 1 : shape->shape[i]);
  }
  const Ref mean = recorder.emit(core::MomentsAttrs{std::span<const int64_t>(list, count), correction}, {x});
  const Ref variance = Recorder::result(mean, 1);
  if (!keepdim)
    return {mean, variance};
  return {recorder.reshape(mean, kept), recorder.reshape(variance, kept)};
}

// A float value as sums of squares and the like are computed in, and its type for the way back.
struct Summed {
  Summed(Recorder &recorder, Ref x) : type(recorder.dtype(x)), value(recorder.convert(x, sumType(type))) {}
  DType type;
  Ref value;
};

// The square root with derivative 0 at 0, as standard deviations and norms need it.
Ref safeRoot(Recorder &recorder, Ref x) {
  const ShapeEntry *shape = recorder.shape(x);
  const Ref zero = recorder.filled(recorder.dtype(x), 0, shape);
  const Ref isZero = compared(recorder, CompareDirection::EQ, x, zero);
  const Ref one = recorder.filled(recorder.dtype(x), 1, shape);
  const Ref root = recorder.emit(OpCode::Sqrt, {recorder.emit(OpCode::Select, {isZero, one, x})});
  return recorder.emit(OpCode::Select, {isZero, x, root});
}

Tensor softmaxLike(const char *name, const Tensor &x, int64_t dim, bool logarithm, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const int64_t axis = checkedDim(name, dim, x.shape().rank());
  Ref value = recorder.convert(recorder.use(x), realType(x.dtype()));
  const Shape shape = x.shape();
  if (shape.rank() == 0)
    value = recorder.reshape(value, Shape{1});
  const Ref result = logarithm ? recorder.emit(core::LogSoftmaxAttrs{axis}, {value})
                               : recorder.emit(core::SoftmaxAttrs{axis}, {value});
  return recorder.finish(recorder.reshape(result, shape));
}

} // namespace

Tensor sum(const Tensor &x, Dims dims, bool keepdim, Where where) {
  return reduction("sum", ReduceKind::Sum, x, dims, keepdim, where);
}

Tensor mean(const Tensor &x, Dims dims, bool keepdim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("mean", {&x});
  if (!isFloat(x.dtype()))
    recorder.fail("expects floats, got " + std::string(name(x.dtype())) + x.shape().str() + "; convert with to()");
  const uint32_t set = checkedDims("mean", dims, x.shape().rank());
  const Ref value = recorder.convert(recorder.use(x), sumType(x.dtype()));
  const Ref total = reduced(recorder, ReduceKind::Sum, value, set, keepdim);
  const Ref average = withNumber(recorder, OpCode::Div, total, countOf(x.shape(), set));
  return recorder.finish(recorder.convert(average, x.dtype()));
}

Tensor softmax(const Tensor &x, int64_t dim, Where where) { return softmaxLike("softmax", x, dim, false, where); }
Tensor log_softmax(const Tensor &x, int64_t dim, Where where) {
  return softmaxLike("log_softmax", x, dim, true, where);
}

Tensor logsumexp(const Tensor &x, Dims dims, bool keepdim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("logsumexp", {&x});
  const Shape &shape = x.shape();
  const uint32_t set = checkedDims("logsumexp", dims, shape.rank());
  std::vector<int64_t> reduced;
  Shape kept;
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (set >> i & 1)
      reduced.push_back(i);
    kept.push(set >> i & 1 ? 1 : shape[i]);
  }
  const Ref value = recorder.convert(recorder.use(x), realType(x.dtype()));
  const Ref result = recorder.emit(core::LogsumexpAttrs{reduced}, {value});
  return recorder.finish(keepdim ? recorder.reshape(result, kept) : result);
}

Tensor Tensor::sum(Dims dims, bool keepdim, Where where) const { return burn::sum(*this, dims, keepdim, where); }
Tensor Tensor::mean(Dims dims, bool keepdim, Where where) const { return burn::mean(*this, dims, keepdim, where); }
Tensor Tensor::prod(Dims dims, bool keepdim, Where where) const {
  return reduction("prod", ReduceKind::Prod, *this, dims, keepdim, where);
}
Tensor Tensor::amax(Dims dims, bool keepdim, Where where) const {
  return reduction("amax", ReduceKind::Max, *this, dims, keepdim, where);
}
Tensor Tensor::amin(Dims dims, bool keepdim, Where where) const {
  return reduction("amin", ReduceKind::Min, *this, dims, keepdim, where);
}
Tensor Tensor::all(Dims dims, bool keepdim, Where where) const {
  return reduction("all", ReduceKind::And, *this, dims, keepdim, where);
}
Tensor Tensor::any(Dims dims, bool keepdim, Where where) const {
  return reduction("any", ReduceKind::Or, *this, dims, keepdim, where);
}
Tensor Tensor::max(Where where) const { return reduction("max", ReduceKind::Max, *this, {}, false, where); }
Tensor Tensor::min(Where where) const { return reduction("min", ReduceKind::Min, *this, {}, false, where); }
Extremum Tensor::max(int64_t dim, bool keepdim, Where where) const {
  return extremum("max", ExtremumKind::Max, *this, dim, keepdim, where);
}
Extremum Tensor::min(int64_t dim, bool keepdim, Where where) const {
  return extremum("min", ExtremumKind::Min, *this, dim, keepdim, where);
}
Tensor Tensor::argmax(std::optional<int64_t> dim, bool keepdim, Where where) const {
  return position("argmax", ExtremumKind::Max, *this, dim, keepdim, where);
}
Tensor Tensor::argmin(std::optional<int64_t> dim, bool keepdim, Where where) const {
  return position("argmin", ExtremumKind::Min, *this, dim, keepdim, where);
}

Tensor Tensor::var(Dims dims, int64_t correction, bool keepdim, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("var", {this});
  return recorder.finish(moments(recorder, recorder.use(*this), dims, correction, keepdim).second);
}

Tensor Tensor::std(Dims dims, int64_t correction, bool keepdim, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("std", {this});
  const Summed x(recorder, recorder.use(*this));
  const Ref root = safeRoot(recorder, moments(recorder, x.value, dims, correction, keepdim).second);
  return recorder.finish(recorder.convert(root, x.type));
}

VarianceAndMean var_mean(const Tensor &x, Dims dims, int64_t correction, bool keepdim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("var_mean", {&x});
  const auto [mean, variance] = moments(recorder, recorder.use(x), dims, correction, keepdim);
  VarianceAndMean result{recorder.tensor(variance), recorder.tensor(mean)};
  recorder.finish();
  return result;
}

DeviationAndMean std_mean(const Tensor &x, Dims dims, int64_t correction, bool keepdim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("std_mean", {&x});
  const Summed value(recorder, recorder.use(x));
  const auto [mean, variance] = moments(recorder, value.value, dims, correction, keepdim);
  DeviationAndMean result{recorder.tensor(recorder.convert(safeRoot(recorder, variance), value.type)),
                          recorder.tensor(recorder.convert(mean, value.type))};
  recorder.finish();
  return result;
}

Tensor Tensor::norm(Dims dims, bool keepdim, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("norm", {this});
  const Summed x(recorder, recorder.convert(recorder.use(*this), realType(dtype())));
  const uint32_t set = checkedDims("norm", dims, shape().rank());
  const Ref squares = multiplied(recorder, x.value, x.value);
  const Ref root = safeRoot(recorder, reduced(recorder, ReduceKind::Sum, squares, set, keepdim));
  return recorder.finish(recorder.convert(root, x.type));
}

Tensor Tensor::softmax(int64_t dim, Where where) const { return burn::softmax(*this, dim, where); }
Tensor Tensor::log_softmax(int64_t dim, Where where) const { return burn::log_softmax(*this, dim, where); }
Tensor Tensor::logsumexp(Dims dims, bool keepdim, Where where) const {
  return burn::logsumexp(*this, dims, keepdim, where);
}

} // namespace burn

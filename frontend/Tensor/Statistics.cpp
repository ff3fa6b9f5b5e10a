// Reductions that are made of others.
#include "frontend/Tensor/Support.h"

#include <cmath>
#include <limits>

namespace burn {

Tensor prod(const Tensor &x, Dims dims, bool keepdim, Where where) { return x.prod(dims, keepdim, where); }
Tensor amax(const Tensor &x, Dims dims, bool keepdim, Where where) { return x.amax(dims, keepdim, where); }
Tensor amin(const Tensor &x, Dims dims, bool keepdim, Where where) { return x.amin(dims, keepdim, where); }
Tensor all(const Tensor &x, Dims dims, bool keepdim, Where where) { return x.all(dims, keepdim, where); }
Tensor any(const Tensor &x, Dims dims, bool keepdim, Where where) { return x.any(dims, keepdim, where); }
Tensor argmax(const Tensor &x, std::optional<int64_t> dim, bool keepdim, Where where) {
  return x.argmax(dim, keepdim, where);
}
Tensor argmin(const Tensor &x, std::optional<int64_t> dim, bool keepdim, Where where) {
  return x.argmin(dim, keepdim, where);
}
Tensor var(const Tensor &x, Dims dims, int64_t correction, bool keepdim, Where where) {
  return x.var(dims, correction, keepdim, where);
}
Tensor std(const Tensor &x, Dims dims, int64_t correction, bool keepdim, Where where) {
  return x.std(dims, correction, keepdim, where);
}

MinimumAndMaximum aminmax(const Tensor &x, Dims dims, bool keepdim, Where where) {
  const LocationScope scope(where);
  return {x.amin(dims, keepdim), x.amax(dims, keepdim)};
}

Tensor nansum(const Tensor &x, Dims dims, bool keepdim, Where where) {
  const LocationScope scope(where);
  return sum(masked_fill(x, isnan(x), 0), dims, keepdim);
}

Tensor nanmean(const Tensor &x, Dims dims, bool keepdim, Where where) {
  const LocationScope scope(where);
  if (!isFloat(x.dtype()))
    raiseInvalid("nanmean: expects floats, got " + std::string(name(x.dtype())) + x.shape().str());
  const Tensor total = nansum(x.to(sumType(x.dtype())), dims, keepdim);
  return (total / sum(x.eq(x), dims, keepdim)).to(x.dtype());
}

Tensor count_nonzero(const Tensor &x, Dims dims, Where where) {
  const LocationScope scope(where);
  return sum(x.ne(0), dims);
}

// Of floats whose sums of powers fit.
static Tensor normOf(const Tensor &value, double ord, const Dims &dims, bool keepdim) {
  if (ord == 2)
    return value.norm(dims, keepdim);
  const Tensor size = abs(value);
  if (std::isinf(ord))
    return ord > 0 ? size.amax(dims, keepdim) : size.amin(dims, keepdim);
  if (ord == 1)
    return sum(size, dims, keepdim);
  if (ord == 0)
    return sum(value.ne(0), dims, keepdim).to(value.dtype());
  if (ord < 0)
    return pow(sum(pow(size, ord), dims, keepdim), 1 / ord);
  // Powers of 0 are 0 with derivative 0, whatever the order.
  const Tensor zero = size.eq(0);
  const Tensor total = sum(masked_fill(pow(masked_fill(size, zero, 1), ord), zero, 0), dims, keepdim);
  const Tensor none = total.eq(0);
  return masked_fill(pow(masked_fill(total, none, 1), 1 / ord), none, 0);
}

Tensor vector_norm(const Tensor &x, double ord, Dims dims, bool keepdim, Where where) {
  const LocationScope scope(where);
  if (std::isnan(ord))
    raiseInvalid("vector_norm: expects a number as order, got NaN");
  const DType type = realType(x.dtype());
  return normOf(x.to(sumType(type)), ord, dims, keepdim).to(type);
}

Tensor matrix_norm(const Tensor &x, std::optional<double> ord, Dims dims, bool keepdim, Where where) {
  const LocationScope scope(where);
  const unsigned rank = x.shape().rank();
  if (dims.size() != 2 || rank < 2)
    raiseInvalid("matrix_norm: expects two dimensions of a tensor of rank 2 at least, got " +
                 std::to_string(dims.size()) + " of shape " + x.shape().str());
  const unsigned row = checkedDim("matrix_norm", dims[0], rank), column = checkedDim("matrix_norm", dims[1], rank);
  if (row == column)
    raiseInvalid("matrix_norm: dimension " + std::to_string(row) + " is given twice");
  if (!ord)
    return vector_norm(x, 2.0, dims, keepdim);
  if (std::fabs(*ord) != 1 && !std::isinf(*ord))
    raiseInvalid("matrix_norm: expects order 1, -1, inf or -inf, or none for Frobenius' norm, got " +
                 std::to_string(*ord) + "; singular values are not computed");
  const DType type = realType(x.dtype());
  const bool ofColumns = std::fabs(*ord) == 1;
  const unsigned counted = ofColumns ? column : row;
  if (x.shape()[counted] == 0)
    raiseInvalid("matrix_norm: the order " + std::to_string(*ord) + " expects at least one " +
                 (ofColumns ? "column" : "row") + ", got shape " + x.shape().str());
  const Tensor sums = sum(x.to(sumType(type)).abs(), ofColumns ? row : column, true);
  const Dims other = counted;
  const Tensor norm = *ord > 0 ? sums.amax(other, true) : sums.amin(other, true);
  return (keepdim ? norm : norm.squeeze({row, column})).to(type);
}

Tensor dist(const Tensor &a, const Tensor &b, double p, Where where) {
  const LocationScope scope(where);
  return vector_norm(a - b, p);
}

Tensor diff(const Tensor &x, int64_t n, int64_t dim, Where where) {
  const LocationScope scope(where);
  if (n < 0 || x.shape().rank() == 0)
    raiseInvalid("diff: expects at least one dimension and n >= 0, got shape " + x.shape().str() + " and n " +
                 std::to_string(n));
  const unsigned axis = checkedDim("diff", dim, x.shape().rank());
  Tensor result = x;
  for (; n > 0 && result.shape()[axis] > 0; --n) {
    const int64_t count = result.shape()[axis] - 1;
    const Tensor next = result.narrow(axis, 1, count), before = result.narrow(axis, 0, count);
    result = x.dtype() == DType::Bool ? next.ne(before) : next - before;
  }
  return result;
}

namespace {

// The sum of the neighbours along a dimension, and the dimension.
std::pair<Tensor, unsigned> neighbours(const Tensor &y, int64_t dim) {
  if (y.shape().rank() == 0)
    raiseInvalid("trapezoid: expects at least one dimension, got rank 0");
  const unsigned axis = checkedDim("trapezoid", dim, y.shape().rank());
  const int64_t count = std::max<int64_t>(y.shape()[axis] - 1, 0);
  const int64_t first = std::min<int64_t>(y.shape()[axis], 1);
  return {y.narrow(axis, first, count) + y.narrow(axis, 0, count), axis};
}

} // namespace

Tensor trapezoid(const Tensor &y, double dx, int64_t dim, Where where) {
  const LocationScope scope(where);
  const auto [pairs, axis] = neighbours(y, dim);
  return sum(pairs, axis) * (dx / 2);
}

Tensor trapezoid(const Tensor &y, const Tensor &x, int64_t dim, Where where) {
  const LocationScope scope(where);
  const auto [pairs, axis] = neighbours(y, dim);
  Tensor width;
  if (x.shape().rank() == 1 && y.shape().rank() > 1) {
    Shape beside;
    for (unsigned i = 0; i < y.shape().rank(); ++i)
      beside.push(i == axis ? std::max<int64_t>(x.shape()[0] - 1, 0) : 1);
    width = diff(x).reshape(beside);
  } else {
    width = diff(x, 1, dim);
  }
  return sum(pairs * width, axis) / 2;
}

Tensor cov(const Tensor &x, int64_t correction, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() > 2)
    raiseInvalid("cov: expects observations [n] or [variables, n], got shape " + x.shape().str());
  const Tensor value = x.to(realType(x.dtype()));
  const Tensor rows = value.reshape({value.shape().rank() == 2 ? value.shape()[0] : 1,
                                     value.shape().rank() ? value.shape()[value.shape().rank() - 1] : 1});
  const Tensor deviation = rows - rows.mean(1, true);
  const Tensor result = matmul(deviation, deviation.t()) / std::max<int64_t>(rows.shape()[1] - correction, 0);
  return x.shape().rank() == 2 ? result : result.reshape({});
}

Tensor corrcoef(const Tensor &x, Where where) {
  const LocationScope scope(where);
  const Tensor covariance = cov(x);
  if (covariance.shape().rank() == 0)
    return covariance / covariance;
  const Tensor deviation = sqrt(covariance.diagonal());
  return clamp(covariance / deviation.unsqueeze(1) / deviation.unsqueeze(0), -1, 1);
}

Tensor histc(const Tensor &x, int64_t bins, double low, double high, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(x);
  if (bins < 1 || !(low < high))
    raiseInvalid("histc: expects bins >= 1 and low < high, got " + std::to_string(bins) + ", " + std::to_string(low) +
                 " and " + std::to_string(high));
  if (!std::isfinite(high - low)) // nor is it where a bound is not
    raiseInvalid("histc: expects bounds a finite distance apart, got " + std::to_string(low) + " and " +
                 std::to_string(high));
  const Tensor value = x.flatten();
  const Tensor inside = (value >= low).logical_and(value <= high);
  const Tensor position = floor((value - low) * (static_cast<double>(bins) / (high - low)));
  const Tensor bin = clamp(masked_fill(position, inside.logical_not(), 0), 0, bins - 1).to(DType::I64);
  return zeros({bins}, x.dtype()).index_add(0, bin, inside.to(x.dtype()));
}

} // namespace burn

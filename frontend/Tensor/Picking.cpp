// Picking and replacing elements by integers, made of gather and scatter.
#include "frontend/Tensor/Support.h"

namespace burn {

Tensor narrow(const Tensor &x, int64_t dim, int64_t start, int64_t length, Where where) {
  return x.narrow(dim, start, length, where);
}
Tensor select(const Tensor &x, int64_t dim, int64_t i, Where where) { return x.select(dim, i, where); }
Tensor index_select(const Tensor &x, int64_t dim, const Tensor &indices, Where where) {
  return x.index_select(dim, indices, where);
}
Tensor gather(const Tensor &x, int64_t dim, const Tensor &indices, Where where) {
  return x.gather(dim, indices, where);
}
Tensor take_along_dim(const Tensor &x, const Tensor &indices, int64_t dim, Where where) {
  return x.take_along_dim(indices, dim, where);
}
Tensor scatter(const Tensor &x, int64_t dim, const Tensor &indices, const Operand &source) {
  return x.scatter(dim, indices, source);
}
Tensor scatter_add(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source, Where where) {
  return x.scatter_add(dim, indices, source, where);
}
Tensor index_add(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source, Scalar alpha, Where where) {
  return x.index_add(dim, indices, source, alpha, where);
}

Tensor take(const Tensor &x, const Tensor &indices, Where where) {
  const LocationScope scope(where);
  return x.flatten().index_select(0, indices.flatten()).reshape(indices.shape());
}

namespace {

// 1-D indices of a dimension of x beside all its other dimensions.
Tensor indicesBeside(const char *function, const Tensor &x, int64_t dim, const Tensor &indices) {
  if (x.shape().rank() == 0 || indices.shape().rank() != 1)
    raiseInvalid(std::string(function) + ": expects 1-D indices into at least one dimension, got shapes " +
                 indices.shape().str() + " and " + x.shape().str());
  const unsigned axis = checkedDim(function, dim, x.shape().rank());
  Shape beside, full = x.shape();
  for (unsigned i = 0; i < full.rank(); ++i)
    beside.push(i == axis ? indices.numel() : 1);
  full[axis] = indices.numel();
  return indices.reshape(beside).expand(full);
}

} // namespace

Tensor index_fill(const Tensor &x, int64_t dim, const Tensor &indices, const Operand &value) {
  const LocationScope scope(value.where());
  const Tensor places = indicesBeside("index_fill", x, dim, indices);
  if (!value.isTensor())
    return x.scatter(dim, places, value);
  if (value.tensor().shape().rank())
    raiseInvalid("index_fill: expects a number or a tensor of rank 0 as value, got " + value.tensor().shape().str());
  return x.scatter(dim, places, value.tensor().expand(places.shape()));
}

Tensor index_copy(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source, Where where) {
  const LocationScope scope(where);
  const Tensor places = indicesBeside("index_copy", x, dim, indices);
  if (source.shape() != places.shape())
    raiseInvalid("index_copy: expects a source of shape " + places.shape().str() + ", got " + source.shape().str());
  return x.scatter(dim, places, source);
}

Tensor searchsorted(const Tensor &sorted, const Tensor &values, bool right, Where where) {
  const LocationScope scope(where);
  const unsigned rank = sorted.shape().rank();
  if (rank == 0)
    raiseInvalid("searchsorted: expects at least one dimension, got rank 0");
  const auto leading = [](const Tensor &x) {
    return Shape(std::span<const int64_t>(x.shape().begin(), x.shape().rank() - 1));
  };
  if (rank > 1 && (values.shape().rank() != rank || leading(values) != leading(sorted)))
    raiseInvalid("searchsorted: expects the same leading dimensions, got shapes " + sorted.shape().str() + " and " +
                 values.shape().str());
  const Tensor edges = rank > 1 ? sorted.unsqueeze(-2) : sorted, each = values.unsqueeze(-1);
  Tensor before = right ? edges <= each : edges < each;
  // NaN stand behind all numbers, as sort() puts them.
  if (isFloat(values.dtype())) {
    const Tensor last = each.isnan();
    before = before | (right || !isFloat(sorted.dtype()) ? last : last & ~edges.isnan());
  }
  return sum(before, -1);
}

Tensor bucketize(const Tensor &x, const Tensor &boundaries, bool right, Where where) {
  const LocationScope scope(where);
  if (boundaries.shape().rank() != 1)
    raiseInvalid("bucketize: expects a vector of boundaries, got shape " + boundaries.shape().str());
  return searchsorted(boundaries, x, right);
}

} // namespace burn

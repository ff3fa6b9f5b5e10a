// Functions that look for elements, many with results whose sizes depend on the values.
#include "frontend/Tensor/AlongDim.h"

#include <burn/control.h>

#include <cstring>

namespace burn {

using namespace trace;

namespace {

void checkDefined(const char *function, const Tensor &x) {
  if (!x.defined())
    raiseInvalid(std::string(function) + ": the tensor is not defined");
}

// The first `count` rows of a computed tensor, as one of its own: a program for every count would fill the cache.
Tensor firstRows(const Tensor &x, int64_t count, const Where &where) {
  Shape shape = x.shape();
  shape[0] = count;
  const int64_t bytes = shape.numel() * byteWidth(x.dtype());
  runtime::BufferRef buffer = allocateBuffer(bytes);
  if (bytes)
    std::memcpy(buffer->data(), x.data(where), static_cast<size_t>(bytes));
  return makeComputed(placed(std::move(buffer), x.device()), x.dtype(), shape);
}

// Where the elements of a vector stand that hold.
Tensor placesOf(const Tensor &mask, const Where &where) {
  const Tensor found = nonzero(mask, where);
  return found.reshape({found.size(0)});
}

// Groups of equal neighbours among the elements of a vector, or the rows of a matrix. `places` says where each stood
// before they were ordered.
Unique groupsOf(const Tensor &values, const Tensor &places, const Shape &shape, const Where &where) {
  const int64_t count = values.size(0);
  const DeviceScope device(values);
  if (count == 0)
    return {values, zeros(shape, DType::I64), zeros({0}, DType::I64)};
  Tensor differs = values.narrow(0, 1, count - 1).ne(values.narrow(0, 0, count - 1));
  if (differs.dim() == 2)
    differs = differs.any(1);
  const Tensor isFirst = cat({ones({1}, DType::Bool), differs});
  const Tensor starts = placesOf(isFirst, where);
  const int64_t groups = starts.numel();
  const Tensor group = cumsum(isFirst, 0) - 1;
  const Tensor inverse = places.defined() ? zeros_like(group).scatter(0, places, group) : group;
  const Tensor ends = cat({starts.narrow(0, 1, groups - 1), full({1}, count, DType::I64)});
  return {values.index_select(0, starts), inverse.reshape(shape), ends - starts};
}

// The rows of a matrix in the order of their first elements that differ: sorted by each column, the last one first.
Tensor orderOfRows(const Tensor &rows) {
  const int64_t columns = rows.size(1);
  if (columns == 0)
    return arange(rows.size(0));
  const auto byColumn = [&](const Tensor &i, const Tensor &order) {
    const Tensor column = rows.index_select(1, (columns - 1 - i).reshape({1})).flatten();
    return order.index_select(0, argsort(column.index_select(0, order), 0));
  };
  return fori_loop(0, columns, byColumn, arange(rows.size(0)));
}

// The greatest of integers that must not be negative, -1 without elements.
int64_t greatestCount(const Tensor &x, const Where &where) {
  if (x.shape().rank() != 1 || !isInt(x.dtype()))
    raiseInvalid("bincount: expects a vector of integers, got " + std::string(name(x.dtype())) + x.shape().str());
  if (x.numel() == 0)
    return -1;
  const Tensor least = x.min(), greatest = x.max();
  if (x.dtype() != DType::U64 && least.item<int64_t>(where) < 0)
    raiseInvalid("bincount: expects integers that are not negative, got " + std::to_string(least.item<int64_t>(where)));
  const int64_t result = greatest.item<int64_t>(where);
  return result < 0 ? INT64_MAX : result; // an unsigned one beyond that
}

} // namespace

Tensor nonzero(const Tensor &x, Where where) {
  const LocationScope scope(where);
  Tensor indices, count;
  {
    Recorder recorder("nonzero", {&x});
    const Ref found = recorder.emit(core::NonzeroAttrs{x.numel()}, {recorder.use(x)});
    indices = recorder.tensor(found);
    count = recorder.tensor(Recorder::result(found, 1));
    recorder.finish();
  }
  return firstRows(indices, count.item<int64_t>(where), where);
}

Tensor argwhere(const Tensor &x, Where where) { return nonzero(x, where); }

Tensor masked_select(const Tensor &x, const Tensor &mask, Where where) {
  const LocationScope scope(where);
  if (mask.dtype() != DType::Bool)
    raiseInvalid("masked_select: expects a boolean mask, got " + std::string(name(mask.dtype())) + mask.shape().str());
  Shape shape;
  {
    Recorder recorder("masked_select", {&x, &mask});
    shape = broadcastShapes(recorder, x.shape(), mask.shape());
  }
  const Tensor places = placesOf(mask.expand(shape).flatten(), where);
  return x.expand(shape).flatten().index_select(0, places);
}

Unique unique(const Tensor &x, Where where) {
  const LocationScope scope(where);
  checkDefined("unique", x);
  const Sorted sorted = sort(x.flatten(), 0);
  return groupsOf(sorted.values, sorted.indices, x.shape(), where);
}

Unique unique(const Tensor &x, int64_t dim, Where where) {
  const LocationScope scope(where);
  checkDefined("unique", x);
  if (x.shape().rank() == 0)
    raiseInvalid("unique: a tensor of rank 0 has no dimensions");
  const unsigned axis = checkedDim("unique", dim, x.shape().rank());
  const int64_t count = x.shape()[axis];
  const Tensor front = movedim(x, axis, 0);
  Shape parts(front.shape());
  parts[0] = 1;
  const DeviceScope device(x);
  const Tensor rows = front.reshape({count, parts.numel()});
  const Tensor order = orderOfRows(rows);
  Unique found = groupsOf(rows.index_select(0, order), order, Shape{count}, where);
  parts[0] = found.values.size(0);
  found.values = movedim(found.values.reshape(parts), 0, axis);
  return found;
}

Unique unique_consecutive(const Tensor &x, Where where) {
  const LocationScope scope(where);
  checkDefined("unique_consecutive", x);
  return groupsOf(x.flatten(), Tensor(), x.shape(), where);
}

Tensor isin(const Tensor &x, const Tensor &test, bool invert, Where where) {
  const LocationScope scope(where);
  const Tensor found = x.unsqueeze(-1).eq(test.flatten()).any(-1);
  return invert ? found.logical_not() : found;
}

Tensor bincount(const Tensor &x, int64_t minlength, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(x);
  return bincount(x, ones(x.shape(), DType::I64), minlength, where);
}

Tensor bincount(const Tensor &x, const Tensor &weights, int64_t minlength, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(x);
  if (minlength < 0)
    raiseInvalid("bincount: expects a minlength that is not negative, got " + std::to_string(minlength));
  if (weights.shape() != x.shape())
    raiseInvalid("bincount: expects weights of shape " + x.shape().str() + ", got " + weights.shape().str());
  const int64_t greatest = greatestCount(x, where);
  const int64_t count = std::max(minlength, greatest == INT64_MAX ? greatest : greatest + 1);
  if (const Shape counts{count}; greatest == INT64_MAX || !counts.fits())
    raiseInvalid("bincount: the result of shape " + counts.str() + " is too large");
  return zeros({count}, weights.dtype()).scatter_add(0, x, weights);
}

Tensor Tensor::nonzero(Where where) const { return burn::nonzero(*this, where); }
Tensor Tensor::argwhere(Where where) const { return burn::argwhere(*this, where); }
Tensor Tensor::masked_select(const Tensor &mask, Where where) const { return burn::masked_select(*this, mask, where); }
Unique Tensor::unique(Where where) const { return burn::unique(*this, where); }
Unique Tensor::unique(int64_t dim, Where where) const { return burn::unique(*this, dim, where); }
Unique Tensor::unique_consecutive(Where where) const { return burn::unique_consecutive(*this, where); }
Tensor Tensor::bincount(int64_t minlength, Where where) const { return burn::bincount(*this, minlength, where); }

} // namespace burn

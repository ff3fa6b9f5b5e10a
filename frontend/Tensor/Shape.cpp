#include "frontend/Tensor/Support.h"

#include <algorithm>

namespace burn {

using namespace trace;

namespace {

// A list of sizes with at most one -1, for `numel` elements.
Shape resolvedShape(const Recorder &recorder, const Dims &dims, const Shape &from) {
  if (dims.overflows())
    recorder.fail(std::to_string(dims.size()) + " dimensions are more than the limit of " +
                  std::to_string(Shape::maxRank));
  Shape shape;
  int open = -1;
  int64_t known = 1;
  for (int64_t dim : dims) {
    if (dim == -1 && open < 0)
      open = static_cast<int>(shape.rank());
    else if (dim < 0)
      recorder.fail(dim == -1 ? "only one size may be -1" : "size " + std::to_string(dim) + " is negative");
    else if (__builtin_mul_overflow(known, dim, &known))
      recorder.fail("the sizes are too large");
    shape.push(dim);
  }
  const int64_t numel = from.numel();
  const auto text = [&] { return Shape(std::span<const int64_t>(dims.begin(), dims.size())).str(); };
  if (open >= 0) {
    if (known == 0 || numel % known != 0)
      recorder.fail("cannot give " + from.str() + " (" + std::to_string(numel) + " elements) the shape " + text());
    shape[open] = numel / known;
  } else if (known != numel) {
    recorder.fail("cannot give " + from.str() + " (" + std::to_string(numel) + " elements) the shape " + text() + " (" +
                  std::to_string(known) + " elements)");
  }
  return shape;
}

Tensor permuted(Recorder &recorder, const Tensor &x, std::span<const int64_t> permutation) {
  return recorder.finish(recorder.transpose(recorder.use(x), permutation));
}

} // namespace

Tensor Tensor::reshape(Dims dims, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("reshape", {this});
  return recorder.finish(recorder.reshape(recorder.use(*this), resolvedShape(recorder, dims, shape())));
}

Tensor Tensor::flatten(int64_t start, int64_t end, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("flatten", {this});
  const Shape &from = shape();
  const unsigned first = checkedDim("flatten", start, from.rank()), last = checkedDim("flatten", end, from.rank());
  if (first > last)
    recorder.fail("dimension " + std::to_string(start) + " stands after dimension " + std::to_string(end));
  Shape to;
  int64_t product = 1;
  for (unsigned i = 0; i < from.rank(); ++i) {
    if (i < first || i > last)
      to.push(from[i]);
    else if (product *= from[i]; i == last)
      to.push(product);
  }
  if (from.rank() == 0)
    to.push(1);
  return recorder.finish(recorder.reshape(recorder.use(*this), to));
}

Tensor Tensor::squeeze(Dims dims, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("squeeze", {this});
  const Shape &from = shape();
  const uint32_t set = checkedDims("squeeze", dims, from.rank());
  Shape to;
  for (unsigned i = 0; i < from.rank(); ++i)
    if (from[i] != 1 || !(set >> i & 1))
      to.push(from[i]);
  return recorder.finish(recorder.reshape(recorder.use(*this), to));
}

Tensor Tensor::unsqueeze(int64_t dim, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("unsqueeze", {this});
  const Shape &from = shape();
  if (from.rank() == Shape::maxRank)
    recorder.fail(from.str() + " has as many dimensions as there may be");
  const unsigned place = checkedDim("unsqueeze", dim, from.rank() + 1);
  Shape to;
  for (unsigned i = 0; i <= from.rank(); ++i) {
    if (i == place)
      to.push(1);
    if (i < from.rank())
      to.push(from[i]);
  }
  return recorder.finish(recorder.reshape(recorder.use(*this), to));
}

Tensor Tensor::transpose(int64_t first, int64_t second, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("transpose", {this});
  const unsigned rank = shape().rank();
  int64_t permutation[Shape::maxRank];
  for (unsigned i = 0; i < rank; ++i)
    permutation[i] = i;
  const unsigned a = checkedDim("transpose", first, rank), b = checkedDim("transpose", second, rank);
  if (rank)
    std::swap(permutation[a], permutation[b]);
  return permuted(recorder, *this, {permutation, rank});
}

Tensor Tensor::permute(Dims dims, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("permute", {this});
  const unsigned rank = shape().rank();
  if (dims.size() != rank)
    recorder.fail("expects " + std::to_string(rank) + " dimensions for " + shape().str() + ", got " +
                  std::to_string(dims.size()));
  checkedDims("permute", dims, rank);
  int64_t permutation[Shape::maxRank];
  for (unsigned i = 0; i < rank; ++i)
    permutation[i] = checkedDim("permute", dims[i], rank);
  return permuted(recorder, *this, {permutation, rank});
}

Tensor Tensor::t(Where where) const {
  const LocationScope scope(where);
  Recorder recorder("t", {this});
  if (shape().rank() > 2)
    recorder.fail("expects a matrix, got shape " + shape().str());
  const int64_t permutation[] = {1, 0};
  return shape().rank() < 2 ? recorder.finish(recorder.use(*this)) : permuted(recorder, *this, permutation);
}

Tensor Tensor::expand(Dims dims, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("expand", {this});
  const Shape &from = shape();
  if (dims.overflows() || dims.size() < from.rank())
    recorder.fail("cannot expand " + from.str() + " to " + std::to_string(dims.size()) + " dimensions");
  Shape to;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool isNew = i + from.rank() < dims.size();
    if (dims[i] < -1 || (dims[i] == -1 && isNew))
      recorder.fail("size " + std::to_string(dims[i]) + " is negative");
    to.push(dims[i] == -1 ? from[static_cast<unsigned>(i + from.rank() - dims.size())] : dims[i]);
  }
  if (!to.fits() || broadcastShapes(recorder, from, to) != to)
    recorder.fail("cannot expand " + from.str() + " to " + to.str());
  return recorder.finish(recorder.broadcast(recorder.use(*this), internShape(to)));
}

Tensor Tensor::flip(Dims dims, Where where) const {
  const LocationScope scope(where);
  Recorder recorder("flip", {this});
  const uint32_t set = dims.empty() ? 0 : checkedDims("flip", dims, shape().rank());
  int64_t list[Shape::maxRank];
  size_t count = 0;
  for (unsigned i = 0; i < shape().rank(); ++i)
    if (set >> i & 1)
      list[count++] = i;
  const Ref value = recorder.use(*this);
  return recorder.finish(count ? recorder.emit(core::ReverseAttrs{std::span<const int64_t>(list, count)}, {value})
                               : value);
}

Tensor flip(const Tensor &x, Dims dims, Where where) { return x.flip(dims, where); }

Tensor broadcast_to(const Tensor &x, Dims shape, Where where) { return x.expand(shape, where); }

namespace {

// The tensors of a list as recorded values of one type.
std::vector<Ref> useAll(Recorder &recorder, std::span<const Tensor> tensors) {
  DType type = tensors[0].dtype();
  for (const Tensor &tensor : tensors) {
    const auto common = promote(type, tensor.dtype());
    if (!common)
      recorder.fail("no integer type holds the values of all tensors");
    type = *common;
  }
  std::vector<Ref> values;
  for (const Tensor &tensor : tensors)
    values.push_back(recorder.convert(recorder.use(tensor), type));
  return values;
}

std::vector<const Tensor *> pointers(std::string_view name, std::span<const Tensor> tensors) {
  if (tensors.empty())
    raiseInvalid(std::string(name) + ": expects at least one tensor");
  std::vector<const Tensor *> list;
  for (const Tensor &tensor : tensors)
    list.push_back(&tensor);
  return list;
}

} // namespace

Tensor cat(std::span<const Tensor> tensors, int64_t dim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("cat", pointers("cat", tensors));
  const int64_t axis = checkedDim("cat", dim, tensors[0].shape().rank());
  return recorder.finish(recorder.emit(core::ConcatAttrs{axis}, std::span<const Ref>(useAll(recorder, tensors))));
}

Tensor stack(std::span<const Tensor> tensors, int64_t dim, Where where) {
  const LocationScope scope(where);
  Recorder recorder("stack", pointers("stack", tensors));
  const Shape &shape = tensors[0].shape();
  if (shape.rank() == Shape::maxRank)
    recorder.fail(shape.str() + " has as many dimensions as there may be");
  const unsigned axis = checkedDim("stack", dim, shape.rank() + 1);
  std::vector<Ref> values = useAll(recorder, tensors);
  Shape part;
  for (unsigned i = 0; i <= shape.rank(); ++i) {
    if (i == axis)
      part.push(1);
    if (i < shape.rank())
      part.push(shape[i]);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (tensors[i].shape() != shape)
      recorder.fail("expects tensors of one shape, got " + shape.str() + " and " + tensors[i].shape().str());
    values[i] = recorder.reshape(values[i], part);
  }
  return recorder.finish(recorder.emit(core::ConcatAttrs{axis}, std::span<const Ref>(values)));
}

Tensor pad(const Tensor &x, std::span<const int64_t> padding, Scalar value, Where where) {
  const LocationScope scope(where);
  Recorder recorder("pad", {&x});
  const unsigned rank = x.shape().rank();
  if (padding.size() % 2 || padding.size() / 2 > rank)
    recorder.fail("expects two numbers for each of up to " + std::to_string(rank) + " dimensions, got " +
                  std::to_string(padding.size()));
  int64_t low[Shape::maxRank] = {}, high[Shape::maxRank] = {}, interior[Shape::maxRank] = {};
  for (size_t i = 0; 2 * i < padding.size(); ++i) {
    low[rank - 1 - i] = padding[2 * i];
    high[rank - 1 - i] = padding[2 * i + 1];
  }
  const auto span = [&](const int64_t *dims) { return std::span<const int64_t>(dims, rank); };
  const Ref fill = recorder.scalar(x.dtype(), value);
  return recorder.finish(recorder.emit(core::PadAttrs{span(low), span(high), span(interior)}, {recorder.use(x), fill}));
}

} // namespace burn

// Joining, splitting, repeating and turning tensors.
#include "frontend/Tensor/Support.h"

#include <algorithm>
#include <numeric>

namespace burn {

Tensor reshape(const Tensor &x, Dims shape, Where where) { return x.reshape(shape, where); }
Tensor flatten(const Tensor &x, int64_t start, int64_t end, Where where) { return x.flatten(start, end, where); }
Tensor squeeze(const Tensor &x, Dims dims, Where where) { return x.squeeze(dims, where); }
Tensor unsqueeze(const Tensor &x, int64_t dim, Where where) { return x.unsqueeze(dim, where); }
Tensor transpose(const Tensor &x, int64_t first, int64_t second, Where where) {
  return x.transpose(first, second, where);
}
Tensor permute(const Tensor &x, Dims dims, Where where) { return x.permute(dims, where); }

Tensor unflatten(const Tensor &x, int64_t dim, Dims sizes, Where where) {
  const LocationScope scope(where);
  const Shape &shape = x.shape();
  const unsigned axis = checkedDim("unflatten", dim, shape.rank());
  if (shape.rank() == 0 || sizes.empty() || shape.rank() - 1 + sizes.size() > Shape::maxRank)
    raiseInvalid("unflatten: cannot make " + std::to_string(sizes.size()) + " dimensions of one of shape " +
                 shape.str());
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && open < 0)
      open = static_cast<int64_t>(i);
    else if (sizes[i] < 0 || __builtin_mul_overflow(known, sizes[i], &known))
      raiseInvalid("unflatten: size " + std::to_string(sizes[i]) + " is no size");
  }
  const int64_t size = shape[axis];
  if (open >= 0 ? known == 0 || size % known : known != size)
    raiseInvalid("unflatten: the sizes do not make up dimension " + std::to_string(dim) + " of shape " + shape.str());
  Shape result;
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (i != axis) {
      result.push(shape[i]);
      continue;
    }
    for (size_t k = 0; k < sizes.size(); ++k)
      result.push(static_cast<int64_t>(k) == open ? size / known : sizes[k]);
  }
  return x.reshape(result);
}

Tensor movedim(const Tensor &x, Dims from, Dims to, Where where) {
  const LocationScope scope(where);
  const unsigned rank = x.shape().rank();
  if (from.size() != to.size())
    raiseInvalid("movedim: expects as many places as dimensions, got " + std::to_string(to.size()) + " and " +
                 std::to_string(from.size()));
  if (from.empty() || rank == 0)
    return x.permute({});
  const uint32_t moved = checkedDims("movedim", from, rank);
  checkedDims("movedim", to, rank);
  std::vector<int64_t> order(rank, -1);
  for (size_t i = 0; i < from.size(); ++i)
    order[checkedDim("movedim", to[i], rank)] = checkedDim("movedim", from[i], rank);
  unsigned next = 0;
  for (int64_t &place : order) {
    if (place >= 0)
      continue;
    while (moved >> next & 1)
      ++next;
    place = next++;
  }
  return x.permute(order);
}

Tensor atleast_1d(const Tensor &x, Where where) { return x.shape().rank() ? x : x.reshape(1, where); }
Tensor atleast_2d(const Tensor &x, Where where) { return x.shape().rank() > 1 ? x : x.reshape({1, x.numel()}, where); }
Tensor atleast_3d(const Tensor &x, Where where) {
  const LocationScope scope(where);
  return x.shape().rank() > 2 ? x : atleast_2d(x).unsqueeze(2);
}

std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors, Where where) {
  const LocationScope scope(where);
  Shape common;
  {
    const Recorder recorder("broadcast_tensors", {});
    for (const Tensor &tensor : tensors)
      common = broadcastShapes(recorder, common, tensor.shape());
  }
  std::vector<Tensor> result;
  for (const Tensor &tensor : tensors)
    result.push_back(tensor.expand(common));
  return result;
}

namespace {

template <typename Fn> std::vector<Tensor> mapped(std::span<const Tensor> tensors, Fn &&function) {
  std::vector<Tensor> result;
  for (const Tensor &tensor : tensors)
    result.push_back(function(tensor));
  return result;
}

void checkNotEmpty(const char *function, std::span<const Tensor> tensors) {
  if (tensors.empty())
    raiseInvalid(std::string(function) + ": expects at least one tensor");
}

void checkVectors(const char *function, std::span<const Tensor> tensors) {
  checkNotEmpty(function, tensors);
  for (const Tensor &tensor : tensors)
    if (tensor.shape().rank() > 1)
      raiseInvalid(std::string(function) + ": expects vectors, got shape " + tensor.shape().str());
}

} // namespace

Tensor vstack(std::span<const Tensor> tensors, Where where) {
  const LocationScope scope(where);
  return cat(mapped(tensors, [](const Tensor &x) { return atleast_2d(x); }), 0);
}

Tensor hstack(std::span<const Tensor> tensors, Where where) {
  const LocationScope scope(where);
  checkNotEmpty("hstack", tensors);
  return cat(mapped(tensors, [](const Tensor &x) { return atleast_1d(x); }), tensors[0].shape().rank() > 1 ? 1 : 0);
}

Tensor dstack(std::span<const Tensor> tensors, Where where) {
  const LocationScope scope(where);
  return cat(mapped(tensors, [](const Tensor &x) { return atleast_3d(x); }), 2);
}

Tensor column_stack(std::span<const Tensor> tensors, Where where) {
  const LocationScope scope(where);
  return cat(mapped(tensors, [](const Tensor &x) { return x.shape().rank() > 1 ? x : x.reshape({x.numel(), 1}); }), 1);
}

Tensor block_diag(std::span<const Tensor> tensors, Where where) {
  const LocationScope scope(where);
  checkNotEmpty("block_diag", tensors);
  int64_t columns = 0, before = 0;
  for (const Tensor &tensor : tensors) {
    if (tensor.shape().rank() > 2)
      raiseInvalid("block_diag: expects matrices, got shape " + tensor.shape().str());
    columns += atleast_2d(tensor).size(1);
  }
  return cat(mapped(tensors,
                    [&](const Tensor &x) {
                      const Tensor block = atleast_2d(x);
                      const int64_t left = before, width = block.size(1);
                      before += width;
                      return pad(block, {left, columns - left - width});
                    }),
             0);
}

std::vector<Tensor> meshgrid(std::span<const Tensor> vectors, GridIndexing indexing, Where where) {
  const LocationScope scope(where);
  checkVectors("meshgrid", vectors);
  const size_t count = vectors.size();
  if (count > Shape::maxRank)
    raiseInvalid("meshgrid: " + std::to_string(count) + " dimensions are more than the limit of " +
                 std::to_string(Shape::maxRank));
  const bool exchanged = indexing == GridIndexing::XY && count > 1;
  const auto place = [&](size_t i) { return exchanged && i < 2 ? 1 - i : i; };
  Shape grid;
  for (size_t i = 0; i < count; ++i)
    grid.push(vectors[place(i)].numel());
  std::vector<Tensor> result;
  for (size_t i = 0; i < count; ++i) {
    Shape along;
    for (size_t k = 0; k < count; ++k)
      along.push(k == place(i) ? vectors[i].numel() : 1);
    result.push_back(vectors[i].reshape(along).expand(grid));
  }
  return result;
}

Tensor cartesian_prod(std::span<const Tensor> vectors, Where where) {
  const LocationScope scope(where);
  checkVectors("cartesian_prod", vectors);
  if (vectors.size() == 1)
    return vectors[0];
  return stack(mapped(meshgrid(vectors), [](const Tensor &x) { return x.flatten(); }), 1);
}

namespace {

unsigned splitAxis(const char *function, const Tensor &x, int64_t dim) {
  if (x.shape().rank() == 0)
    raiseInvalid(std::string(function) + ": a tensor of rank 0 has no dimension to split");
  return checkedDim(function, dim, x.shape().rank());
}

} // namespace

std::vector<Tensor> split_with_sizes(const Tensor &x, std::span<const int64_t> sizes, int64_t dim, Where where) {
  const LocationScope scope(where);
  const unsigned axis = splitAxis("split_with_sizes", x, dim);
  int64_t open = x.shape()[axis];
  bool fits = true;
  for (int64_t size : sizes) {
    fits &= size >= 0 && size <= open;
    open -= fits ? size : 0;
  }
  if (!fits || open != 0)
    raiseInvalid("split_with_sizes: the sizes do not make up dimension " + std::to_string(dim) + " of shape " +
                 x.shape().str());
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(x.narrow(axis, start, size));
    start += size;
  }
  return parts;
}

namespace {

// Each part is a tensor of its own, so that their number ends long before their sizes do.
size_t checkedParts(const char *function, int64_t parts) {
  constexpr int64_t most = int64_t(1) << 24;
  if (parts > most)
    raiseInvalid(std::string(function) + ": expects at most " + std::to_string(most) + " parts, got " +
                 std::to_string(parts));
  return static_cast<size_t>(parts);
}

int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

} // namespace

std::vector<Tensor> split(const Tensor &x, int64_t size, int64_t dim, Where where) {
  const LocationScope scope(where);
  const int64_t total = x.shape()[splitAxis("split", x, dim)];
  if (size < 1 && !(size == 0 && total == 0))
    raiseInvalid("split: expects parts of at least one element, got " + std::to_string(size));
  std::vector<int64_t> sizes(total ? checkedParts("split", ceilDiv(total, size)) : 1, size);
  sizes.back() = total - size * (static_cast<int64_t>(sizes.size()) - 1);
  return split_with_sizes(x, sizes, dim);
}

std::vector<Tensor> chunk(const Tensor &x, int64_t chunks, int64_t dim, Where where) {
  const LocationScope scope(where);
  const int64_t total = x.shape()[splitAxis("chunk", x, dim)];
  if (chunks < 1)
    raiseInvalid("chunk: expects at least one part, got " + std::to_string(chunks));
  if (total == 0) // as many empty ones
    return split_with_sizes(x, std::vector<int64_t>(checkedParts("chunk", chunks), 0), dim);
  return split(x, ceilDiv(total, chunks), dim);
}

std::vector<Tensor> tensor_split(const Tensor &x, int64_t sections, int64_t dim, Where where) {
  const LocationScope scope(where);
  const int64_t total = x.shape()[splitAxis("tensor_split", x, dim)];
  if (sections < 1)
    raiseInvalid("tensor_split: expects at least one part, got " + std::to_string(sections));
  std::vector<int64_t> sizes(checkedParts("tensor_split", sections), total / sections);
  for (int64_t i = 0; i < total % sections; ++i)
    ++sizes[static_cast<size_t>(i)];
  return split_with_sizes(x, sizes, dim);
}

std::vector<Tensor> tensor_split(const Tensor &x, const std::vector<int64_t> &indices, int64_t dim, Where where) {
  const LocationScope scope(where);
  const unsigned axis = splitAxis("tensor_split", x, dim);
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t stop : indices) {
    parts.push_back(x.slice(axis, start, stop));
    start = stop;
  }
  parts.push_back(x.slice(axis, start));
  return parts;
}

std::vector<Tensor> unbind(const Tensor &x, int64_t dim, Where where) {
  const LocationScope scope(where);
  const unsigned axis = splitAxis("unbind", x, dim);
  std::vector<Tensor> parts;
  parts.reserve(checkedParts("unbind", x.shape()[axis]));
  for (int64_t i = 0; i < x.shape()[axis]; ++i)
    parts.push_back(x.select(axis, i));
  return parts;
}

namespace {

// x as [outer, 1, inner] with the middle one repeated, as `result`: blocks of `inner` elements, each `times` in a row.
Tensor repeatBlocks(const Tensor &x, int64_t inner, int64_t times, const Shape &result) {
  if (!result.fits())
    raiseInvalid("cannot repeat shape " + x.shape().str() + " " + std::to_string(times) + " times");
  const int64_t outer = inner ? x.numel() / inner : 0;
  return x.reshape({outer, 1, inner}).expand({outer, times, inner}).reshape(result);
}

int64_t sizeFrom(const Shape &shape, unsigned dim) {
  return std::accumulate(shape.begin() + dim, shape.end(), int64_t(1), std::multiplies<>());
}

} // namespace

Tensor Tensor::repeat(Dims repeats, Where where) const {
  const LocationScope scope(where);
  const Shape &from = shape();
  if (repeats.overflows() || repeats.size() < from.rank())
    raiseInvalid("repeat: expects a number for each dimension of shape " + from.str() + ", got " +
                 std::to_string(repeats.size()));
  Shape current;
  for (size_t i = from.rank(); i < repeats.size(); ++i)
    current.push(1);
  for (int64_t size : from)
    current.push(size);
  Tensor result = reshape(current);
  for (unsigned i = 0; i < current.rank(); ++i) {
    const int64_t times = repeats[i];
    if (times < 0 || __builtin_mul_overflow(current[i], times, &current[i]))
      raiseInvalid("repeat: cannot repeat shape " + from.str() + " " + std::to_string(times) + " times");
    if (times != 1)
      result = repeatBlocks(result, sizeFrom(result.shape(), i), times, current);
  }
  return result;
}

Tensor tile(const Tensor &x, Dims repeats, Where where) {
  const LocationScope scope(where);
  const size_t rank = x.shape().rank();
  if (repeats.overflows())
    raiseInvalid("tile: " + std::to_string(repeats.size()) + " dimensions are more than the limit of " +
                 std::to_string(Shape::maxRank));
  std::vector<int64_t> all(rank > repeats.size() ? rank - repeats.size() : 0, 1);
  all.insert(all.end(), repeats.begin(), repeats.end());
  return x.repeat(all);
}

Tensor repeat_interleave(const Tensor &x, int64_t repeats, std::optional<int64_t> dim, Where where) {
  const LocationScope scope(where);
  if (!dim)
    return repeat_interleave(x.flatten(), repeats, 0);
  const Tensor value = atleast_1d(x);
  const unsigned axis = checkedDim("repeat_interleave", *dim, value.shape().rank());
  Shape result = value.shape();
  if (repeats < 0 || __builtin_mul_overflow(result[axis], repeats, &result[axis]))
    raiseInvalid("repeat_interleave: cannot repeat shape " + x.shape().str() + " " + std::to_string(repeats) +
                 " times");
  return repeatBlocks(value, sizeFrom(value.shape(), axis + 1), repeats, result);
}

Tensor roll(const Tensor &x, Dims shifts, Dims dims, Where where) {
  const LocationScope scope(where);
  if (dims.empty() && shifts.size() == 1 && x.shape().rank() != 1)
    return roll(x.flatten(), shifts, 0).reshape(x.shape());
  if (dims.empty() && shifts.size() == 1)
    return roll(x, shifts, 0);
  if (shifts.size() != dims.size() || shifts.overflows())
    raiseInvalid("roll: expects as many dimensions as shifts, got " + std::to_string(dims.size()) + " and " +
                 std::to_string(shifts.size()));
  Tensor result = x;
  for (size_t i = 0; i < dims.size(); ++i) {
    const unsigned axis = checkedDim("roll", dims[i], x.shape().rank());
    const int64_t size = x.shape().rank() ? x.shape()[axis] : 0;
    const int64_t shift = size ? (shifts[i] % size + size) % size : 0;
    if (shift)
      result = cat({result.narrow(axis, size - shift, shift), result.narrow(axis, 0, size - shift)}, axis);
  }
  return result;
}

Tensor fliplr(const Tensor &x, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() < 2)
    raiseInvalid("fliplr: expects at least two dimensions, got shape " + x.shape().str());
  return x.flip(1);
}

Tensor flipud(const Tensor &x, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() < 1)
    raiseInvalid("flipud: expects at least one dimension, got rank 0");
  return x.flip(0);
}

Tensor rot90(const Tensor &x, int64_t k, Dims dims, Where where) {
  const LocationScope scope(where);
  if (dims.size() != 2 || x.shape().rank() < 2)
    raiseInvalid("rot90: expects two of at least two dimensions, got " + std::to_string(dims.size()) + " of shape " +
                 x.shape().str());
  checkedDims("rot90", dims, x.shape().rank());
  switch ((k % 4 + 4) % 4) {
  case 1:
    return x.flip(dims[1]).transpose(dims[0], dims[1]);
  case 2:
    return x.flip(dims);
  case 3:
    return x.flip(dims[0]).transpose(dims[0], dims[1]);
  default:
    return x;
  }
}

} // namespace burn

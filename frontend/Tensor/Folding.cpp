// Padding by the tensor's own elements, windows as columns, and features as pixels.
#include "frontend/Tensor/Support.h"

#include <algorithm>

namespace burn {

namespace {

// What stands before (after) the elements of a dimension of `size`, `count` of them.
Tensor padding(const Tensor &x, unsigned axis, int64_t count, bool before, PadMode mode) {
  const int64_t size = x.shape()[axis];
  switch (mode) {
  case PadMode::Reflect:
    return x.narrow(axis, before ? 1 : size - 1 - count, count).flip(axis);
  case PadMode::Replicate: {
    Shape shape = x.shape();
    shape[axis] = count;
    return x.narrow(axis, before ? 0 : size - 1, 1).expand(shape);
  }
  default:
    return x.narrow(axis, before ? size - count : 0, count);
  }
}

int64_t mostPadding(int64_t size, PadMode mode) {
  switch (mode) {
  case PadMode::Reflect:
    return std::max<int64_t>(size - 1, 0);
  case PadMode::Replicate:
    return size ? int64_t(1) << 59 : 0;
  default:
    return size;
  }
}

} // namespace

Tensor pad(const Tensor &x, std::span<const int64_t> padding, PadMode mode, Where where) {
  const LocationScope scope(where);
  if (mode == PadMode::Constant)
    return pad(x, padding);
  const unsigned rank = x.shape().rank();
  if (padding.size() % 2 || padding.size() / 2 > rank)
    raiseInvalid("pad: expects two numbers for each of up to " + std::to_string(rank) + " dimensions, got " +
                 std::to_string(padding.size()));
  Tensor result = x;
  for (size_t i = 0; 2 * i < padding.size(); ++i) {
    const unsigned axis = rank - 1 - static_cast<unsigned>(i);
    const int64_t low = padding[2 * i], high = padding[2 * i + 1], most = mostPadding(x.shape()[axis], mode);
    if (low < 0 || high < 0 || low > most || high > most)
      raiseInvalid("pad: dimension " + std::to_string(axis) + " of shape " + x.shape().str() +
                   " takes padding from 0 to " + std::to_string(most) + " in this mode, got " + std::to_string(low) +
                   " and " + std::to_string(high));
    std::vector<Tensor> parts;
    if (low)
      parts.push_back(burn::padding(result, axis, low, true, mode));
    parts.push_back(result);
    if (high)
      parts.push_back(burn::padding(result, axis, high, false, mode));
    if (parts.size() > 1)
      result = cat(parts, axis);
  }
  return result;
}

Tensor Tensor::unfold(int64_t dim, int64_t size, int64_t step, Where where) const {
  const LocationScope scope(where);
  const DeviceScope device(*this);
  const Tensor value = atleast_1d(*this);
  const Shape &from = value.shape();
  const unsigned axis = checkedDim("unfold", dim, from.rank());
  if (size < 0 || step < 1 || size > from[axis] || from.rank() == Shape::maxRank)
    raiseInvalid("unfold: cannot take windows of " + std::to_string(size) + " elements at steps of " +
                 std::to_string(step) + " from dimension " + std::to_string(dim) + " of shape " + from.str());
  const int64_t count = (from[axis] - size) / step + 1;
  const Tensor positions = (arange(count) * step).unsqueeze(1) + arange(size);
  return value.index_select(axis, positions.flatten()).unflatten(axis, {count, size}).movedim(axis + 1, -1);
}

namespace {

// Windows over one dimension of an image.
struct Windows {
  int64_t kernel, dilation, padding, stride, size, count;

  Windows(const char *function, int64_t kernel, int64_t dilation, int64_t padding, int64_t stride, int64_t size)
      : kernel(kernel), dilation(dilation), padding(padding), stride(stride), size(size) {
    if (kernel < 1 || dilation < 1 || padding < 0 || stride < 1)
      raiseInvalid(std::string(function) + ": expects kernel, dilation and stride >= 1 and padding >= 0, got " +
                   std::to_string(kernel) + ", " + std::to_string(dilation) + ", " + std::to_string(stride) + " and " +
                   std::to_string(padding));
    const int64_t room = size + 2 * padding - (kernel - 1) * dilation - 1;
    if (room < 0)
      raiseInvalid(std::string(function) + ": a window of " + std::to_string((kernel - 1) * dilation + 1) +
                   " is larger than the padded size of " + std::to_string(size + 2 * padding));
    count = room / stride + 1;
  }

  // Where the elements of the windows stand in the padded dimension, [kernel * count].
  Tensor positions() const { return ((arange(kernel) * dilation).unsqueeze(1) + arange(count) * stride).flatten(); }
};

} // namespace

Tensor unfold(const Tensor &x, Pair kernel, Pair dilation, Pair padding, Pair stride, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() == 3)
    return unfold(x.unsqueeze(0), kernel, dilation, padding, stride).squeeze(0);
  if (x.shape().rank() != 4)
    raiseInvalid("unfold: expects an input [batch, features, h, w], got shape " + x.shape().str());
  const int64_t batch = x.size(0), features = x.size(1);
  const Windows rows("unfold", kernel.first, dilation.first, padding.first, stride.first, x.size(2));
  const Windows columns("unfold", kernel.second, dilation.second, padding.second, stride.second, x.size(3));
  const DeviceScope device(x);
  const Tensor padded = pad(x, {padding.second, padding.second, padding.first, padding.first});
  const Tensor windows = padded.index_select(2, rows.positions()).index_select(3, columns.positions());
  return windows.reshape({batch, features, rows.kernel, rows.count, columns.kernel, columns.count})
      .permute({0, 1, 2, 4, 3, 5})
      .reshape({batch, features * rows.kernel * columns.kernel, rows.count * columns.count});
}

Tensor fold(const Tensor &x, Pair output, Pair kernel, Pair dilation, Pair padding, Pair stride, Where where) {
  const LocationScope scope(where);
  if (x.shape().rank() == 2)
    return fold(x.unsqueeze(0), output, kernel, dilation, padding, stride).squeeze(0);
  const Windows rows("fold", kernel.first, dilation.first, padding.first, stride.first, output.first);
  const Windows columns("fold", kernel.second, dilation.second, padding.second, stride.second, output.second);
  const int64_t elements = rows.kernel * columns.kernel;
  if (x.shape().rank() != 3 || x.size(1) % elements || x.size(2) != rows.count * columns.count)
    raiseInvalid("fold: expects columns [batch, features * " + std::to_string(elements) + ", " +
                 std::to_string(rows.count * columns.count) + "], got shape " + x.shape().str());
  const int64_t batch = x.size(0), features = x.size(1) / elements;
  const int64_t height = rows.size + 2 * rows.padding, width = columns.size + 2 * columns.padding;
  const Tensor windows = x.reshape({batch, features, rows.kernel, columns.kernel, rows.count, columns.count})
                             .permute({0, 1, 2, 4, 3, 5})
                             .reshape({batch, features, rows.kernel * rows.count, columns.kernel * columns.count});
  const DeviceScope device(x);
  const Tensor wide =
      zeros({batch, features, rows.kernel * rows.count, width}, x.dtype()).index_add(3, columns.positions(), windows);
  const Tensor image = zeros({batch, features, height, width}, x.dtype()).index_add(2, rows.positions(), wide);
  return image.narrow(2, rows.padding, rows.size).narrow(3, columns.padding, columns.size);
}

namespace {

// [leading, features, h, w] with all leading dimensions as one, and those.
std::pair<Tensor, Shape> asImages(const char *function, const Tensor &x, int64_t factor) {
  if (x.shape().rank() < 3 || factor < 1)
    raiseInvalid(std::string(function) + ": expects an input [..., features, h, w] and a factor >= 1, got shape " +
                 x.shape().str() + " and " + std::to_string(factor));
  // Beyond, the number of features for one pixel does not fit into 64 bits.
  if (factor > int64_t(1) << 30)
    raiseInvalid(std::string(function) + ": a factor of " + std::to_string(factor) + " is too large");
  const Shape leading(std::span<const int64_t>(x.shape().begin(), x.shape().rank() - 3));
  return {x.reshape({leading.numel(), x.size(-3), x.size(-2), x.size(-1)}), leading};
}

Tensor withLeading(const Tensor &x, Shape leading) {
  for (unsigned i = 1; i < x.shape().rank(); ++i)
    leading.push(x.shape()[i]);
  return x.reshape(leading);
}

} // namespace

Tensor pixel_shuffle(const Tensor &x, int64_t r, Where where) {
  const LocationScope scope(where);
  const auto [images, leading] = asImages("pixel_shuffle", x, r);
  const int64_t n = images.size(0), features = images.size(1) / (r * r), h = images.size(2), w = images.size(3);
  if (images.size(1) % (r * r))
    raiseInvalid("pixel_shuffle: expects a multiple of " + std::to_string(r * r) + " features, got shape " +
                 x.shape().str());
  const Tensor moved = images.reshape({n, features, r, r, h, w}).permute({0, 1, 4, 2, 5, 3});
  return withLeading(moved.reshape({n, features, h * r, w * r}), leading);
}

Tensor pixel_unshuffle(const Tensor &x, int64_t r, Where where) {
  const LocationScope scope(where);
  const auto [images, leading] = asImages("pixel_unshuffle", x, r);
  const int64_t n = images.size(0), features = images.size(1), h = images.size(2) / r, w = images.size(3) / r;
  if (images.size(2) % r || images.size(3) % r)
    raiseInvalid("pixel_unshuffle: expects height and width that " + std::to_string(r) + " divides, got shape " +
                 x.shape().str());
  const Tensor moved = images.reshape({n, features, h, r, w, r}).permute({0, 1, 3, 5, 2, 4});
  return withLeading(moved.reshape({n, features * r * r, h, w}), leading);
}

Tensor channel_shuffle(const Tensor &x, int64_t groups, Where where) {
  const LocationScope scope(where);
  const Shape &shape = x.shape();
  if (shape.rank() < 2 || shape.rank() == Shape::maxRank || groups < 1 || shape[1] % groups)
    raiseInvalid("channel_shuffle: cannot make " + std::to_string(groups) + " groups of the features of shape " +
                 shape.str());
  return unflatten(x, 1, {groups, shape[1] / groups}).transpose(1, 2).reshape(shape);
}

} // namespace burn

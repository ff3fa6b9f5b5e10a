// The reverse of pooling with indices.
#include "frontend/Tensor/Spatial.h"

namespace burn {

namespace {

template <typename Sizes> std::optional<Spatial> sizeOf(const std::optional<Sizes> &sizes) {
  return sizes ? std::optional<Spatial>(*sizes) : std::nullopt;
}

// Spatial dimensions are the last ones, and a maximum's index is its row-major position over them.
Tensor maxUnpool(const char *name, const Tensor &x, const Tensor &indices, Spatial kernel, Spatial stride,
                 Spatial padding, std::optional<Spatial> size, const Where &where) {
  const LocationScope scope(where);
  const unsigned rank = x.shape().rank(), spatial = kernel.count;
  if ((rank != spatial + 1 && rank != spatial + 2) || indices.shape() != x.shape())
    raiseInvalid(std::string(name) + ": expects [features, spatial...] or [batch, features, spatial...] with " +
                 std::to_string(spatial) + " spatial dimensions and as many indices, got shapes " + x.shape().str() +
                 " and " + indices.shape().str());
  Shape lines, result;
  for (unsigned i = 0; i < rank - spatial; ++i) {
    lines.push(x.shape()[i]);
    result.push(x.shape()[i]);
  }
  int64_t places = 1, from = 1;
  for (unsigned i = 0; i < spatial; ++i) {
    const int64_t pooled = x.shape()[rank - spatial + i];
    const int64_t along = size ? (*size)[i] : (pooled - 1) * stride[i] - 2 * padding[i] + kernel[i];
    if (along < 0)
      raiseInvalid(std::string(name) + ": expects sizes >= 0, got " + std::to_string(along));
    result.push(along);
    places *= along;
    from *= pooled;
  }
  Shape into = lines;
  into.push(places);
  lines.push(from);
  return zeros(into, x.dtype()).scatter(-1, indices.reshape(lines), x.reshape(lines)).reshape(result);
}

} // namespace

Tensor max_unpool1d(const Tensor &x, const Tensor &indices, int64_t kernel, std::optional<int64_t> stride,
                    int64_t padding, std::optional<int64_t> output_size, Where where) {
  return maxUnpool("max_unpool1d", x, indices, kernel, stride.value_or(kernel), padding, sizeOf(output_size), where);
}

Tensor max_unpool2d(const Tensor &x, const Tensor &indices, Pair kernel, std::optional<Pair> stride, Pair padding,
                    std::optional<Pair> output_size, Where where) {
  return maxUnpool("max_unpool2d", x, indices, kernel, stride.value_or(kernel), padding, sizeOf(output_size), where);
}

Tensor max_unpool3d(const Tensor &x, const Tensor &indices, Triple kernel, std::optional<Triple> stride, Triple padding,
                    std::optional<Triple> output_size, Where where) {
  return maxUnpool("max_unpool3d", x, indices, kernel, stride.value_or(kernel), padding, sizeOf(output_size), where);
}

} // namespace burn

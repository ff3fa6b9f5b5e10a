/// Functions that move elements: joining, splitting, padding, reordering.
#pragma once

#include <burn/tensor.h>

namespace burn {

BURN_API Tensor cat(std::span<const Tensor> tensors, int64_t dim = 0, Where where = Where::current());
BURN_API Tensor stack(std::span<const Tensor> tensors, int64_t dim = 0, Where where = Where::current());
inline Tensor cat(std::initializer_list<Tensor> tensors, int64_t dim = 0, Where where = Where::current()) {
  return cat(std::span<const Tensor>(tensors.begin(), tensors.size()), dim, where);
}
inline Tensor stack(std::initializer_list<Tensor> tensors, int64_t dim = 0, Where where = Where::current()) {
  return stack(std::span<const Tensor>(tensors.begin(), tensors.size()), dim, where);
}
/// Pads with `value`. As in PyTorch the list starts with the last dimension: {left, right, top, bottom, ...};
/// negative entries remove elements.
BURN_API Tensor pad(const Tensor &x, std::span<const int64_t> padding, Scalar value = 0.0,
                    Where where = Where::current());
inline Tensor pad(const Tensor &x, std::initializer_list<int64_t> padding, Scalar value = 0.0,
                  Where where = Where::current()) {
  return pad(x, std::span<const int64_t>(padding.begin(), padding.size()), value, where);
}
BURN_API Tensor broadcast_to(const Tensor &x, Dims shape, Where where = Where::current());
BURN_API Tensor flip(const Tensor &x, Dims dims, Where where = Where::current());

} // namespace burn

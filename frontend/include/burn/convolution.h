/// Convolution and pooling over one, two or three spatial dimensions, the last ones of the input. Names, layouts and
/// defaults are PyTorch's: an input is [batch, features, spatial...] or [features, spatial...].
///
/// f16 and bf16 are added up in f32.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// One number for each of three spatial dimensions.
struct Triple {
  int64_t first, second, third;
  constexpr Triple(int64_t all) : first(all), second(all), third(all) {}
  constexpr Triple(int64_t first, int64_t second, int64_t third) : first(first), second(second), third(third) {}
};

// ---- convolution ----

/// weight [out, in / groups, k...], bias [out] or not defined. The kernel is not reversed.
BURN_API Tensor conv1d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(), int64_t stride = 1,
                       int64_t padding = 0, int64_t dilation = 1, int64_t groups = 1, Where where = Where::current());
BURN_API Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(), Pair stride = 1,
                       Pair padding = 0, Pair dilation = 1, int64_t groups = 1, Where where = Where::current());
BURN_API Tensor conv3d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(), Triple stride = 1,
                       Triple padding = 0, Triple dilation = 1, int64_t groups = 1, Where where = Where::current());

/// Asks for the padding that keeps the size, "same" in PyTorch: of an odd number of elements one more behind.
struct SamePadding {};
inline constexpr SamePadding same_padding;

/// With `same_padding` in place of stride and padding: steps of 1 and a result of the input's size.
BURN_API Tensor conv1d(const Tensor &x, const Tensor &weight, const Tensor &bias, SamePadding padding,
                       int64_t dilation = 1, int64_t groups = 1, Where where = Where::current());
BURN_API Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias, SamePadding padding,
                       Pair dilation = 1, int64_t groups = 1, Where where = Where::current());
BURN_API Tensor conv3d(const Tensor &x, const Tensor &weight, const Tensor &bias, SamePadding padding,
                       Triple dilation = 1, int64_t groups = 1, Where where = Where::current());

/// The gradient of a convolution by its input, as an op: weight [in, out / groups, k...], bias [out] or not defined.
BURN_API Tensor conv_transpose1d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(),
                                 int64_t stride = 1, int64_t padding = 0, int64_t output_padding = 0,
                                 int64_t groups = 1, int64_t dilation = 1, Where where = Where::current());
BURN_API Tensor conv_transpose2d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(), Pair stride = 1,
                                 Pair padding = 0, Pair output_padding = 0, int64_t groups = 1, Pair dilation = 1,
                                 Where where = Where::current());
BURN_API Tensor conv_transpose3d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(),
                                 Triple stride = 1, Triple padding = 0, Triple output_padding = 0, int64_t groups = 1,
                                 Triple dilation = 1, Where where = Where::current());

// ---- pooling ----
// The stride is the window's size where it is not given. `ceil_mode` keeps a last window that leaves the input, if it
// begins inside the input or its left padding. Padding is at most half the window.

/// Maximum of each window; padding counts as minus infinity, NaN wins. The gradient goes to the first maximum.
BURN_API Tensor max_pool1d(const Tensor &x, int64_t kernel, std::optional<int64_t> stride = std::nullopt,
                           int64_t padding = 0, int64_t dilation = 1, bool ceil_mode = false,
                           Where where = Where::current());
BURN_API Tensor max_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride = std::nullopt, Pair padding = 0,
                           Pair dilation = 1, bool ceil_mode = false, Where where = Where::current());
BURN_API Tensor max_pool3d(const Tensor &x, Triple kernel, std::optional<Triple> stride = std::nullopt,
                           Triple padding = 0, Triple dilation = 1, bool ceil_mode = false,
                           Where where = Where::current());

/// The same with the row-major position of each maximum over the spatial dimensions.
BURN_API Extremum max_pool1d_with_indices(const Tensor &x, int64_t kernel, std::optional<int64_t> stride = std::nullopt,
                                          int64_t padding = 0, int64_t dilation = 1, bool ceil_mode = false,
                                          Where where = Where::current());
BURN_API Extremum max_pool2d_with_indices(const Tensor &x, Pair kernel, std::optional<Pair> stride = std::nullopt,
                                          Pair padding = 0, Pair dilation = 1, bool ceil_mode = false,
                                          Where where = Where::current());
BURN_API Extremum max_pool3d_with_indices(const Tensor &x, Triple kernel, std::optional<Triple> stride = std::nullopt,
                                          Triple padding = 0, Triple dilation = 1, bool ceil_mode = false,
                                          Where where = Where::current());

/// Puts elements where max_pool_with_indices took them from, and zeros elsewhere. Without `output_size` the result has
/// the size (n - 1) * stride - 2 * padding + kernel along each spatial dimension; an index beyond it is an error.
BURN_API Tensor max_unpool1d(const Tensor &x, const Tensor &indices, int64_t kernel,
                             std::optional<int64_t> stride = std::nullopt, int64_t padding = 0,
                             std::optional<int64_t> output_size = std::nullopt, Where where = Where::current());
BURN_API Tensor max_unpool2d(const Tensor &x, const Tensor &indices, Pair kernel,
                             std::optional<Pair> stride = std::nullopt, Pair padding = 0,
                             std::optional<Pair> output_size = std::nullopt, Where where = Where::current());
BURN_API Tensor max_unpool3d(const Tensor &x, const Tensor &indices, Triple kernel,
                             std::optional<Triple> stride = std::nullopt, Triple padding = 0,
                             std::optional<Triple> output_size = std::nullopt, Where where = Where::current());

/// Mean of each window; padding counts as 0. The sum is divided by `divisor_override`, else by the number of places of
/// the window inside the padded input (`count_include_pad`) or inside the input.
BURN_API Tensor avg_pool1d(const Tensor &x, int64_t kernel, std::optional<int64_t> stride = std::nullopt,
                           int64_t padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                           Where where = Where::current());
BURN_API Tensor avg_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride = std::nullopt, Pair padding = 0,
                           bool ceil_mode = false, bool count_include_pad = true,
                           std::optional<int64_t> divisor_override = std::nullopt, Where where = Where::current());
BURN_API Tensor avg_pool3d(const Tensor &x, Triple kernel, std::optional<Triple> stride = std::nullopt,
                           Triple padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                           std::optional<int64_t> divisor_override = std::nullopt, Where where = Where::current());

/// (mean of x^norm_type over the window's places inside the input, times the window's size)^(1 / norm_type): the root
/// of the sum of powers for whole windows. The derivative at a sum of 0 is 0.
BURN_API Tensor lp_pool1d(const Tensor &x, double norm_type, int64_t kernel,
                          std::optional<int64_t> stride = std::nullopt, bool ceil_mode = false,
                          Where where = Where::current());
BURN_API Tensor lp_pool2d(const Tensor &x, double norm_type, Pair kernel, std::optional<Pair> stride = std::nullopt,
                          bool ceil_mode = false, Where where = Where::current());
BURN_API Tensor lp_pool3d(const Tensor &x, double norm_type, Triple kernel, std::optional<Triple> stride = std::nullopt,
                          bool ceil_mode = false, Where where = Where::current());

/// Pooling to a given size: element i of n covers the places from floor(i * size / n) up to ceil((i + 1) * size / n).
BURN_API Tensor adaptive_avg_pool1d(const Tensor &x, int64_t output_size, Where where = Where::current());
BURN_API Tensor adaptive_avg_pool2d(const Tensor &x, Pair output_size, Where where = Where::current());
BURN_API Tensor adaptive_avg_pool3d(const Tensor &x, Triple output_size, Where where = Where::current());
/// The greatest element of each of these parts, in x's type; NaN wins. Sizes are at least 1.
BURN_API Tensor adaptive_max_pool1d(const Tensor &x, int64_t output_size, Where where = Where::current());
BURN_API Tensor adaptive_max_pool2d(const Tensor &x, Pair output_size, Where where = Where::current());
BURN_API Tensor adaptive_max_pool3d(const Tensor &x, Triple output_size, Where where = Where::current());

} // namespace burn

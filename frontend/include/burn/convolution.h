/// Convolutions and pooling.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// x [batch, in, length], weight [out, in / groups, k], bias [out] or not defined.
BURN_API Tensor conv1d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(), int64_t stride = 1,
                       int64_t padding = 0, int64_t dilation = 1, int64_t groups = 1, Where where = Where::current());
/// x [batch, in, h, w], weight [out, in / groups, kh, kw], bias [out] or not defined. The kernel is not reversed.
BURN_API Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(), Pair stride = 1,
                       Pair padding = 0, Pair dilation = 1, int64_t groups = 1, Where where = Where::current());
/// The gradient of conv2d by its input, as an op: x [batch, in, h, w], weight [in, out / groups, kh, kw].
BURN_API Tensor conv_transpose2d(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(), Pair stride = 1,
                                 Pair padding = 0, Pair output_padding = 0, int64_t groups = 1, Pair dilation = 1,
                                 Where where = Where::current());
/// Maximum of each window of x [..., h, w]. The stride is the window's size where it is not given; padding counts as
/// minus infinity. `ceil_mode` keeps a last window that leaves the input.
BURN_API Tensor max_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride = std::nullopt, Pair padding = 0,
                           Pair dilation = 1, bool ceil_mode = false, Where where = Where::current());
/// Mean of each window of x [..., h, w]; padding counts as 0.
BURN_API Tensor avg_pool2d(const Tensor &x, Pair kernel, std::optional<Pair> stride = std::nullopt, Pair padding = 0,
                           Where where = Where::current());

} // namespace burn

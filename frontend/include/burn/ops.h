/// Functions on tensors. Each says what it computes; shapes are written as lists of names.
///
/// Where a function has a method of the same name, both are the same.
#pragma once

#include <burn/tensor.h>

namespace burn {

// ---- elementwise ----

/// Integers and booleans give f32 in div, exp, log, sqrt, tanh, erf, sigmoid and their like.
BURN_API Tensor add(const Operand &a, const Operand &b);
BURN_API Tensor sub(const Operand &a, const Operand &b);
BURN_API Tensor mul(const Operand &a, const Operand &b);
BURN_API Tensor div(const Operand &a, const Operand &b);
BURN_API Tensor pow(const Operand &base, const Operand &exponent);
/// The larger element; NaN if either is NaN.
BURN_API Tensor maximum(const Operand &a, const Operand &b);
BURN_API Tensor minimum(const Operand &a, const Operand &b);
BURN_API Tensor eq(const Operand &a, const Operand &b);
BURN_API Tensor ne(const Operand &a, const Operand &b);
BURN_API Tensor lt(const Operand &a, const Operand &b);
BURN_API Tensor le(const Operand &a, const Operand &b);
BURN_API Tensor gt(const Operand &a, const Operand &b);
BURN_API Tensor ge(const Operand &a, const Operand &b);
/// Numbers count as true where they are not 0.
BURN_API Tensor logical_and(const Operand &a, const Operand &b);
BURN_API Tensor logical_or(const Operand &a, const Operand &b);
BURN_API Tensor logical_xor(const Operand &a, const Operand &b);
BURN_API Tensor logical_not(const Tensor &x, Where where = Where::current());
BURN_API Tensor neg(const Tensor &x, Where where = Where::current());
BURN_API Tensor abs(const Tensor &x, Where where = Where::current());
/// -1, 0 or 1.
BURN_API Tensor sign(const Tensor &x, Where where = Where::current());
BURN_API Tensor exp(const Tensor &x, Where where = Where::current());
/// exp(x) - 1, accurate near 0.
BURN_API Tensor expm1(const Tensor &x, Where where = Where::current());
BURN_API Tensor log(const Tensor &x, Where where = Where::current());
/// log(1 + x), accurate near 0.
BURN_API Tensor log1p(const Tensor &x, Where where = Where::current());
BURN_API Tensor sqrt(const Tensor &x, Where where = Where::current());
/// 1 / sqrt(x)
BURN_API Tensor rsqrt(const Tensor &x, Where where = Where::current());
BURN_API Tensor square(const Tensor &x, Where where = Where::current());
BURN_API Tensor reciprocal(const Tensor &x, Where where = Where::current());
BURN_API Tensor tanh(const Tensor &x, Where where = Where::current());
BURN_API Tensor erf(const Tensor &x, Where where = Where::current());
/// 1 / (1 + exp(-x))
BURN_API Tensor sigmoid(const Tensor &x, Where where = Where::current());
/// max(x, 0); the derivative at 0 is 0.
BURN_API Tensor relu(const Tensor &x, Where where = Where::current());
/// x/2 (1 + erf(x / sqrt 2)), or its approximation with tanh.
BURN_API Tensor gelu(const Tensor &x, GeluApproximate approximate = GeluApproximate::None,
                     Where where = Where::current());
/// x sigmoid(x)
BURN_API Tensor silu(const Tensor &x, Where where = Where::current());
BURN_API Tensor floor(const Tensor &x, Where where = Where::current());
BURN_API Tensor ceil(const Tensor &x, Where where = Where::current());
/// To nearest, ties to even.
BURN_API Tensor round(const Tensor &x, Where where = Where::current());
BURN_API Tensor isnan(const Tensor &x, Where where = Where::current());
BURN_API Tensor isinf(const Tensor &x, Where where = Where::current());
BURN_API Tensor clamp(const Tensor &x, std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt,
                      Where where = Where::current());
/// `a` where the boolean `condition` holds, else `b`; broadcast.
BURN_API Tensor where(const Tensor &condition, const Operand &a, const Operand &b);
/// x with `value` where the boolean `mask`, broadcast to x, holds.
BURN_API Tensor masked_fill(const Tensor &x, const Tensor &mask, const Operand &value);

// ---- joining and padding ----

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

// ---- reductions ----

/// Booleans and integers sum to i64.
BURN_API Tensor sum(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
BURN_API Tensor mean(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
BURN_API Tensor softmax(const Tensor &x, int64_t dim, Where where = Where::current());
BURN_API Tensor log_softmax(const Tensor &x, int64_t dim, Where where = Where::current());
BURN_API Tensor logsumexp(const Tensor &x, Dims dims, bool keepdim = false, Where where = Where::current());

// ---- products ----

/// By rank: dot product (1, 1), matrix times vector, vector times matrix, and matrices in the last two dimensions with
/// the others broadcast.
BURN_API Tensor matmul(const Tensor &a, const Tensor &b, Where where = Where::current());
/// [n, k] x [k, m] -> [n, m]
BURN_API Tensor mm(const Tensor &a, const Tensor &b, Where where = Where::current());
/// [b, n, k] x [b, k, m] -> [b, n, m]
BURN_API Tensor bmm(const Tensor &a, const Tensor &b, Where where = Where::current());
/// x [..., in], weight [out, in], bias [out] (or not defined) -> [..., out]
BURN_API Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = Tensor(),
                       Where where = Where::current());

// ---- convolution and pooling ----

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

// ---- normalisation, dropout, losses ----

struct BatchNormResult {
  Tensor output;
  /// Mean and biased variance of the batch, [features].
  Tensor mean, variance;
};
/// (x - mean) / sqrt(variance + epsilon) * weight + bias with the statistics of this batch, over all dimensions but 1.
BURN_API BatchNormResult batch_norm(const Tensor &x, const Tensor &weight, const Tensor &bias, double epsilon = 1e-5,
                                    Where where = Where::current());
/// The same with given statistics.
BURN_API Tensor batch_norm_with(const Tensor &x, const Tensor &mean, const Tensor &variance, const Tensor &weight,
                                const Tensor &bias, double epsilon = 1e-5, Where where = Where::current());

class Generator;
/// Zeroes elements with probability `rate` and divides the others by 1 - rate. Without a generator that of the calling
/// thread is used.
BURN_API Tensor dropout(const Tensor &x, double rate, bool training = true, Generator *generator = nullptr,
                        Where where = Where::current());

/// logits [batch, classes, ...] or [classes], integer target [batch, ...] or []; examples whose target is
/// `ignore_index` do not count. `weight` [classes] may be left undefined.
BURN_API Tensor cross_entropy(const Tensor &logits, const Tensor &target, const Tensor &weight = Tensor(),
                              Reduction reduction = Reduction::Mean, int64_t ignore_index = -100,
                              double label_smoothing = 0.0, Where where = Where::current());
/// As cross_entropy, of logarithms of probabilities.
BURN_API Tensor nll_loss(const Tensor &log_probabilities, const Tensor &target, Reduction reduction = Reduction::Mean,
                         int64_t ignore_index = -100, Where where = Where::current());
BURN_API Tensor mse_loss(const Tensor &input, const Tensor &target, Reduction reduction = Reduction::Mean,
                         Where where = Where::current());

} // namespace burn

/// Normalisation and dropout.
#pragma once

#include <burn/tensor.h>

#include <optional>

namespace burn {

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

/// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last dimensions, which are `normalized_shape`, with
/// the biased variance. Weight and bias have that shape, or are not defined. f16 and bf16 are computed in f32.
BURN_API Tensor layer_norm(const Tensor &x, Dims normalized_shape, const Tensor &weight = {}, const Tensor &bias = {},
                           double epsilon = 1e-5, Where where = Where::current());
/// x / sqrt(mean(x^2) + epsilon) * weight over the last dimensions. Without an epsilon it is the distance from 1 to the
/// next number of the type computed in.
BURN_API Tensor rms_norm(const Tensor &x, Dims normalized_shape, const Tensor &weight = {},
                         std::optional<double> epsilon = std::nullopt, Where where = Where::current());
/// layer_norm over the features of a group and all spatial dimensions: x [batch, features, ...], weight and bias
/// [features], or not defined.
BURN_API Tensor group_norm(const Tensor &x, int64_t num_groups, const Tensor &weight = {}, const Tensor &bias = {},
                           double epsilon = 1e-5, Where where = Where::current());
/// group_norm with one feature a group, by the statistics of each example.
BURN_API Tensor instance_norm(const Tensor &x, const Tensor &weight = {}, const Tensor &bias = {},
                              double epsilon = 1e-5, Where where = Where::current());

/// x / (k + alpha * mean of x^2 over `size` features around each)^beta, where features beyond the first and the last
/// count as 0; of an even size one more lies before. x [batch, features, ...]. Krizhevsky et al., 2012.
BURN_API Tensor local_response_norm(const Tensor &x, int64_t size, double alpha = 1e-4, double beta = 0.75,
                                    double k = 1.0, Where where = Where::current());

class Generator;
/// Zeroes elements with probability `rate` and divides the others by 1 - rate. Without a generator that of the calling
/// thread is used.
BURN_API Tensor dropout(const Tensor &x, double rate, bool training = true, Generator *generator = nullptr,
                        Where where = Where::current());

/// dropout of whole features: x [batch, features, ...]. The names of PyTorch are dropout1d, dropout2d and dropout3d.
BURN_API Tensor feature_dropout(const Tensor &x, double rate, bool training = true, Generator *generator = nullptr,
                                Where where = Where::current());
/// dropout that keeps mean and variance behind selu: dropped elements become its limit below, and all are scaled and
/// shifted. Klambauer et al., 2017.
BURN_API Tensor alpha_dropout(const Tensor &x, double rate, bool training = true, Generator *generator = nullptr,
                              Where where = Where::current());

} // namespace burn

/// Normalisation and dropout.
#pragma once

#include <burn/tensor.h>

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

class Generator;
/// Zeroes elements with probability `rate` and divides the others by 1 - rate. Without a generator that of the calling
/// thread is used.
BURN_API Tensor dropout(const Tensor &x, double rate, bool training = true, Generator *generator = nullptr,
                        Where where = Where::current());

} // namespace burn

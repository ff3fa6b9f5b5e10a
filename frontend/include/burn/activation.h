/// Activation functions of networks.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// 1 / (1 + exp(-x))
BURN_API Tensor sigmoid(const Tensor &x, Where where = Where::current());
/// max(x, 0); the derivative at 0 is 0.
BURN_API Tensor relu(const Tensor &x, Where where = Where::current());
/// x/2 (1 + erf(x / sqrt 2)), or its approximation with tanh.
BURN_API Tensor gelu(const Tensor &x, GeluApproximate approximate = GeluApproximate::None,
                     Where where = Where::current());
/// x sigmoid(x)
BURN_API Tensor silu(const Tensor &x, Where where = Where::current());
/// log(1 + exp(beta x)) / beta; x where beta x is above the threshold.
BURN_API Tensor softplus(const Tensor &x, double beta = 1.0, double threshold = 20.0, Where where = Where::current());
/// x tanh(softplus(x))
BURN_API Tensor mish(const Tensor &x, Where where = Where::current());
/// x, and alpha (exp(x) - 1) where x <= 0.
BURN_API Tensor elu(const Tensor &x, double alpha = 1.0, Where where = Where::current());
/// elu with the alpha and times the scale for which layers keep mean 0 and variance 1: Klambauer et al., 2017.
BURN_API Tensor selu(const Tensor &x, Where where = Where::current());
/// x, and alpha (exp(x / alpha) - 1) where x <= 0.
BURN_API Tensor celu(const Tensor &x, double alpha = 1.0, Where where = Where::current());
/// x / 6 + 1/2 moved into [0, 1]; the derivative at both corners is 0.
BURN_API Tensor hardsigmoid(const Tensor &x, Where where = Where::current());
/// x hardsigmoid(x)
BURN_API Tensor hardswish(const Tensor &x, Where where = Where::current());
/// x, and negative_slope x where x <= 0.
BURN_API Tensor leaky_relu(const Tensor &x, double negative_slope = 0.01, Where where = Where::current());
/// log(sigmoid(x)), without overflow.
BURN_API Tensor logsigmoid(const Tensor &x, Where where = Where::current());
BURN_API Tensor softmax(const Tensor &x, int64_t dim, Where where = Where::current()); ///< exp(x) / their sum over dim
BURN_API Tensor log_softmax(const Tensor &x, int64_t dim, Where where = Where::current()); ///< log(softmax(x))
/// softmax(-x)
BURN_API Tensor softmin(const Tensor &x, int64_t dim, Where where = Where::current());
/// x / (1 + |x|)
BURN_API Tensor softsign(const Tensor &x, Where where = Where::current());
/// x moved into [low, high]; the derivative at and outside of the bounds is 0.
BURN_API Tensor hardtanh(const Tensor &x, double low = -1.0, double high = 1.0, Where where = Where::current());
/// x moved into [0, 6]
BURN_API Tensor relu6(const Tensor &x, Where where = Where::current());
/// x, and weight x where x <= 0. The weight [1], or [features] for x [batch, features, ...].
BURN_API Tensor prelu(const Tensor &x, const Tensor &weight, Where where = Where::current());
/// a sigmoid(b) with a, b the halves of a dimension.
BURN_API Tensor glu(const Tensor &x, int64_t dim = -1, Where where = Where::current());
/// x, and `value` where x <= threshold.
BURN_API Tensor threshold(const Tensor &x, double threshold, double value, Where where = Where::current());
/// x moved towards 0 by lambda, and 0 in [-lambda, lambda].
BURN_API Tensor softshrink(const Tensor &x, double lambda = 0.5, Where where = Where::current());
/// x, and 0 in [-lambda, lambda].
BURN_API Tensor hardshrink(const Tensor &x, double lambda = 0.5, Where where = Where::current());
/// x - tanh(x)
BURN_API Tensor tanhshrink(const Tensor &x, Where where = Where::current());

} // namespace burn

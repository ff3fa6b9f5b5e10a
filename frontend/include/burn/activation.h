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
BURN_API Tensor softmax(const Tensor &x, int64_t dim, Where where = Where::current());
BURN_API Tensor log_softmax(const Tensor &x, int64_t dim, Where where = Where::current());

} // namespace burn

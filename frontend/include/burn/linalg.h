/// Products of matrices and what is made of them.
#pragma once

#include <burn/tensor.h>

namespace burn {

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

} // namespace burn

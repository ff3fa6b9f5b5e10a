/// Functions that reduce dimensions; without dimensions all of them.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// Booleans and integers sum to i64.
BURN_API Tensor sum(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
BURN_API Tensor mean(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
BURN_API Tensor logsumexp(const Tensor &x, Dims dims, bool keepdim = false, Where where = Where::current());

} // namespace burn

/// Functions that pick or replace elements.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// x with `value` where the boolean `mask`, broadcast to x, holds.
BURN_API Tensor masked_fill(const Tensor &x, const Tensor &mask, const Operand &value);

} // namespace burn

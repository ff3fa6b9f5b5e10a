/// Losses.
#pragma once

#include <burn/tensor.h>

namespace burn {

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

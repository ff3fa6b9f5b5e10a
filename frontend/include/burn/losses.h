/// Losses.
#pragma once

#include <burn/tensor.h>

namespace burn {

// Input and target are broadcast against each other. Each loss says what it computes of one element; Reduction::None
// gives these, Mean their mean.

/// logits [batch, classes, ...] or [classes], integer target [batch, ...] or []; examples whose target is
/// `ignore_index` do not count. A float target has the shape of the logits and holds the probability of each class.
/// `weight` [classes] may be left undefined.
BURN_API Tensor cross_entropy(const Tensor &logits, const Tensor &target, const Tensor &weight = Tensor(),
                              Reduction reduction = Reduction::Mean, int64_t ignore_index = -100,
                              double label_smoothing = 0.0, Where where = Where::current());
/// As cross_entropy, of logarithms of probabilities.
BURN_API Tensor nll_loss(const Tensor &log_probabilities, const Tensor &target, const Tensor &weight = Tensor(),
                         Reduction reduction = Reduction::Mean, int64_t ignore_index = -100,
                         Where where = Where::current());
BURN_API Tensor mse_loss(const Tensor &input, const Tensor &target, Reduction reduction = Reduction::Mean,
                         Where where = Where::current()); ///< (input - target)^2
/// |input - target|
BURN_API Tensor l1_loss(const Tensor &input, const Tensor &target, Reduction reduction = Reduction::Mean,
                        Where where = Where::current());
/// d^2 / (2 beta) of d = |input - target| < beta, else d - beta / 2.
BURN_API Tensor smooth_l1_loss(const Tensor &input, const Tensor &target, Reduction reduction = Reduction::Mean,
                               double beta = 1.0, Where where = Where::current());
/// d^2 / 2 of d = |input - target| < delta, else delta (d - delta / 2).
BURN_API Tensor huber_loss(const Tensor &input, const Tensor &target, Reduction reduction = Reduction::Mean,
                           double delta = 1.0, Where where = Where::current());
/// -weight (target log(input) + (1 - target) log(1 - input)) of probabilities; logarithms are at least -100.
BURN_API Tensor binary_cross_entropy(const Tensor &input, const Tensor &target, const Tensor &weight = Tensor(),
                                     Reduction reduction = Reduction::Mean, Where where = Where::current());
/// binary_cross_entropy of sigmoid(logits) without overflow; `pos_weight` is a factor of the positive part.
BURN_API Tensor binary_cross_entropy_with_logits(const Tensor &logits, const Tensor &target,
                                                 const Tensor &weight = Tensor(), Reduction reduction = Reduction::Mean,
                                                 const Tensor &pos_weight = Tensor(), Where where = Where::current());
/// target (log(target) - input) of logarithms of probabilities; the target may be a logarithm as well.
BURN_API Tensor kl_div(const Tensor &input, const Tensor &target, Reduction reduction = Reduction::Mean,
                       bool log_target = false, Where where = Where::current());
/// exp(input) - target input (`log_input`) or input - target log(input + eps); `full` adds Stirling's approximation of
/// log(target!) where the target is above 1.
BURN_API Tensor poisson_nll_loss(const Tensor &input, const Tensor &target, bool log_input = true, bool full = false,
                                 double eps = 1e-8, Reduction reduction = Reduction::Mean,
                                 Where where = Where::current());
/// (log(variance) + (input - target)^2 / variance) / 2 with a variance of at least eps, through which limit no gradient
/// flows; `full` adds log(2 pi) / 2.
BURN_API Tensor gaussian_nll_loss(const Tensor &input, const Tensor &target, const Tensor &variance, bool full = false,
                                  double eps = 1e-6, Reduction reduction = Reduction::Mean,
                                  Where where = Where::current());
/// input where the target is 1, max(0, margin - input) where it is -1.
BURN_API Tensor hinge_embedding_loss(const Tensor &input, const Tensor &target, double margin = 1.0,
                                     Reduction reduction = Reduction::Mean, Where where = Where::current());
/// max(0, margin - target (first - second)); the target is 1 or -1.
BURN_API Tensor margin_ranking_loss(const Tensor &first, const Tensor &second, const Tensor &target,
                                    double margin = 0.0, Reduction reduction = Reduction::Mean,
                                    Where where = Where::current());
/// log(1 + exp(-target input)); the target is 1 or -1.
BURN_API Tensor soft_margin_loss(const Tensor &input, const Tensor &target, Reduction reduction = Reduction::Mean,
                                 Where where = Where::current());
/// The sum over the classes of max(0, margin - x[target] + x[class])^p but for the target's, divided by their number.
/// scores [batch, classes], integer target [batch].
BURN_API Tensor multi_margin_loss(const Tensor &scores, const Tensor &target, int64_t p = 1, double margin = 1.0,
                                  const Tensor &weight = Tensor(), Reduction reduction = Reduction::Mean,
                                  Where where = Where::current());
/// The mean over the last dimension of binary_cross_entropy_with_logits.
BURN_API Tensor multilabel_soft_margin_loss(const Tensor &logits, const Tensor &target, const Tensor &weight = Tensor(),
                                            Reduction reduction = Reduction::Mean, Where where = Where::current());
/// 1 - cos(first, second) where the target is 1, max(0, cos(first, second) - margin) where it is -1. The first two
/// [batch, features], the target [batch].
BURN_API Tensor cosine_embedding_loss(const Tensor &first, const Tensor &second, const Tensor &target,
                                      double margin = 0.0, Reduction reduction = Reduction::Mean,
                                      Where where = Where::current());
/// max(0, |anchor - positive| - |anchor - negative| + margin) with the p-norm of the last dimension; `swap` takes
/// |positive - negative| where that is smaller.
BURN_API Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                                    double margin = 1.0, double p = 2.0, double eps = 1e-6, bool swap = false,
                                    Reduction reduction = Reduction::Mean, Where where = Where::current());

} // namespace burn

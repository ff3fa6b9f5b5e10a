/// Functions that look for elements. Where the size of a result depends on the values, what is recorded is computed.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// The indices, one a row, of the elements that are not 0 (NaN is not; a boolean counts where true), in row-major
/// order: i64 [n, rank]. Computes.
BURN_API Tensor nonzero(const Tensor &x, Where where = Where::current());
BURN_API Tensor argwhere(const Tensor &x, Where where = Where::current()); ///< nonzero
/// The elements of x where the boolean `mask` holds, both broadcast: [n]. Computes.
BURN_API Tensor masked_select(const Tensor &x, const Tensor &mask, Where where = Where::current());

/// The different elements in ascending order; NaN are all different. Computes.
BURN_API Unique unique(const Tensor &x, Where where = Where::current());
/// The different parts along a dimension, in the order of their first elements that differ. The inverse is a vector
/// with one entry for each part of x. Computes.
BURN_API Unique unique(const Tensor &x, int64_t dim, Where where = Where::current());
/// Only repetitions of neighbours are left out. Computes.
BURN_API Unique unique_consecutive(const Tensor &x, Where where = Where::current());

/// Whether each element is among those of `test`.
BURN_API Tensor isin(const Tensor &x, const Tensor &test, bool invert = false, Where where = Where::current());
/// How often 0, 1, 2 ... occur among the integers of a vector, up to the greatest of them but at least `minlength`
/// numbers; of `weights` the sums of those that belong to each. Computes.
BURN_API Tensor bincount(const Tensor &x, int64_t minlength = 0, Where where = Where::current());
BURN_API Tensor bincount(const Tensor &x, const Tensor &weights, int64_t minlength = 0, Where where = Where::current());

} // namespace burn

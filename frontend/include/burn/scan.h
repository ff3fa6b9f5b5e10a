/// Functions that combine each element of a dimension with those before it.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// Sums of the elements so far; booleans and integers sum to i64.
BURN_API Tensor cumsum(const Tensor &x, int64_t dim, Where where = Where::current());
/// Products of the elements so far; their derivative is right with zeros among the elements, too.
BURN_API Tensor cumprod(const Tensor &x, int64_t dim, Where where = Where::current());
/// The greatest (least) element so far, NaN from the first NaN on, and where it stands: the last of equal ones.
BURN_API Extremum cummax(const Tensor &x, int64_t dim, Where where = Where::current());
BURN_API Extremum cummin(const Tensor &x, int64_t dim, Where where = Where::current()); ///< the least
/// log(cumsum(exp(x))), without overflow.
BURN_API Tensor logcumsumexp(const Tensor &x, int64_t dim, Where where = Where::current());
/// y[i] = factor[i] y[i-1] + x[i] along a dimension, with y[-1] = 0; from the end where `reverse`.
BURN_API Tensor linear_scan(const Tensor &factor, const Tensor &x, int64_t dim, bool reverse = false,
                            Where where = Where::current());
/// The integrals from the first sample to each by the trapezoidal rule, of samples at a distance of `dx`.
BURN_API Tensor cumulative_trapezoid(const Tensor &y, double dx = 1.0, int64_t dim = -1,
                                     Where where = Where::current());
/// The same of samples at `x`: of y's shape, or the positions along the dimension.
BURN_API Tensor cumulative_trapezoid(const Tensor &y, const Tensor &x, int64_t dim = -1,
                                     Where where = Where::current());

} // namespace burn

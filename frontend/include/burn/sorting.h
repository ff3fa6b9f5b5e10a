/// Functions that order the elements of a dimension, and what is read off the order. Numbers are ordered totally: -0
/// equals +0, NaN are above everything. Equal elements keep their order.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// The elements of a dimension in order, and their positions, i64.
BURN_API Sorted sort(const Tensor &x, int64_t dim = -1, bool descending = false, Where where = Where::current());
/// The positions, i64, of the elements of a dimension in order.
BURN_API Tensor argsort(const Tensor &x, int64_t dim = -1, bool descending = false, Where where = Where::current());
/// Sorted along the first dimension.
BURN_API Tensor msort(const Tensor &x, Where where = Where::current());
/// The k greatest (least) elements of a dimension, in order.
BURN_API Sorted topk(const Tensor &x, int64_t k, int64_t dim = -1, bool largest = true, Where where = Where::current());
/// The k-th least element of a dimension, counted from 1.
BURN_API Extremum kthvalue(const Tensor &x, int64_t k, int64_t dim = -1, bool keepdim = false,
                           Where where = Where::current());
/// The middle element, of two the lesser one; NaN, and the first one's place, where there is a NaN.
BURN_API Tensor median(const Tensor &x, Where where = Where::current());
BURN_API Extremum median(const Tensor &x, int64_t dim, bool keepdim = false, Where where = Where::current());
/// The same of the elements that are not NaN.
BURN_API Tensor nanmedian(const Tensor &x, Where where = Where::current());
BURN_API Extremum nanmedian(const Tensor &x, int64_t dim, bool keepdim = false, Where where = Where::current());

/// The elements at the fractions `q` in [0, 1] of the order, over all elements or along a dimension; NaN where there
/// is a NaN. The fractions, if more than one, make the first dimension of the result.
BURN_API Tensor quantile(const Tensor &x, double q, std::optional<int64_t> dim = std::nullopt, bool keepdim = false,
                         QuantileInterpolation interpolation = QuantileInterpolation::Linear,
                         Where where = Where::current());
BURN_API Tensor quantile(const Tensor &x, const std::vector<double> &q, std::optional<int64_t> dim = std::nullopt,
                         bool keepdim = false, QuantileInterpolation interpolation = QuantileInterpolation::Linear,
                         Where where = Where::current());
/// The same of the elements that are not NaN.
BURN_API Tensor nanquantile(const Tensor &x, double q, std::optional<int64_t> dim = std::nullopt, bool keepdim = false,
                            QuantileInterpolation interpolation = QuantileInterpolation::Linear,
                            Where where = Where::current());
BURN_API Tensor nanquantile(const Tensor &x, const std::vector<double> &q, std::optional<int64_t> dim = std::nullopt,
                            bool keepdim = false, QuantileInterpolation interpolation = QuantileInterpolation::Linear,
                            Where where = Where::current());

} // namespace burn

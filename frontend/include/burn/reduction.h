/// Functions that reduce dimensions; without dimensions all of them. NaN wins among extrema; not 0 counts as true.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// The sum; booleans and integers sum to i64, 0 without elements.
BURN_API Tensor sum(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// The sum divided by the number of elements, of floats; integers and booleans are an error. NaN without elements.
BURN_API Tensor mean(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// log(sum of exp(x)), without overflow, of floats; minus infinity without elements.
BURN_API Tensor logsumexp(const Tensor &x, Dims dims, bool keepdim = false, Where where = Where::current());
/// The product; of booleans and integers in i64, 1 without elements.
BURN_API Tensor prod(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// The greatest element; an error without elements. The gradient is shared by equal ones.
BURN_API Tensor amax(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// The least element; an error without elements. The gradient is shared by equal ones.
BURN_API Tensor amin(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// Whether all elements are true; true without elements.
BURN_API Tensor all(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// Whether an element is true; false without elements.
BURN_API Tensor any(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
BURN_API Tensor argmax(const Tensor &x, std::optional<int64_t> dim = std::nullopt, bool keepdim = false,
                       Where where = Where::current()); ///< the first maximum, i64; NaN wins
BURN_API Tensor argmin(const Tensor &x, std::optional<int64_t> dim = std::nullopt, bool keepdim = false,
                       Where where = Where::current()); ///< the first minimum, i64; NaN wins
/// Squared deviation from the mean, divided by the count less `correction`.
BURN_API Tensor var(const Tensor &x, Dims dims = {}, int64_t correction = 1, bool keepdim = false,
                    Where where = Where::current());
/// The square root of var; its derivative is 0 where it is 0.
BURN_API Tensor std(const Tensor &x, Dims dims = {}, int64_t correction = 1, bool keepdim = false,
                    Where where = Where::current());

/// What var_mean gives.
struct VarianceAndMean {
  Tensor variance, mean;
};
/// var and mean of one pass over x.
BURN_API VarianceAndMean var_mean(const Tensor &x, Dims dims = {}, int64_t correction = 1, bool keepdim = false,
                                  Where where = Where::current());
/// What std_mean gives.
struct DeviationAndMean {
  Tensor deviation, mean;
};
/// std and mean of one pass over x.
BURN_API DeviationAndMean std_mean(const Tensor &x, Dims dims = {}, int64_t correction = 1, bool keepdim = false,
                                   Where where = Where::current());
/// What aminmax gives.
struct MinimumAndMaximum {
  Tensor min, max;
};
BURN_API MinimumAndMaximum aminmax(const Tensor &x, Dims dims = {}, bool keepdim = false,
                                   Where where = Where::current()); ///< both
/// The sum of the elements that are not NaN.
BURN_API Tensor nansum(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// The mean of the elements that are not NaN.
BURN_API Tensor nanmean(const Tensor &x, Dims dims = {}, bool keepdim = false, Where where = Where::current());
/// How many elements are not 0, i64.
BURN_API Tensor count_nonzero(const Tensor &x, Dims dims = {}, Where where = Where::current());
/// (sum |x|^ord)^(1 / ord). An infinite ord gives the greatest (least) |x|, 0 the number of elements that are not 0.
/// The derivative is 0 where the norm is 0.
BURN_API Tensor vector_norm(const Tensor &x, double ord = 2.0, Dims dims = {}, bool keepdim = false,
                            Where where = Where::current());
/// A norm of the matrices in two dimensions: without an order the root of the sum of squares (Frobenius), of order 1
/// (-1) the greatest (least) sum of |x| of a column, of an infinite order that of a row. Rows run along the first of
/// `dims`. Orders that need singular values are errors.
BURN_API Tensor matrix_norm(const Tensor &x, std::optional<double> ord = std::nullopt, Dims dims = {-2, -1},
                            bool keepdim = false, Where where = Where::current());
/// vector_norm(a - b, p) over all elements.
BURN_API Tensor dist(const Tensor &a, const Tensor &b, double p = 2.0, Where where = Where::current());
/// Differences of neighbours along a dimension, `n` times.
BURN_API Tensor diff(const Tensor &x, int64_t n = 1, int64_t dim = -1, Where where = Where::current());
/// The integral along a dimension by the trapezoidal rule, of samples at a distance of `dx`.
BURN_API Tensor trapezoid(const Tensor &y, double dx = 1.0, int64_t dim = -1, Where where = Where::current());
/// The same of samples at `x`: of y's shape, or the positions along the dimension.
BURN_API Tensor trapezoid(const Tensor &y, const Tensor &x, int64_t dim = -1, Where where = Where::current());
/// Covariances of the rows of x [variables, observations].
BURN_API Tensor cov(const Tensor &x, int64_t correction = 1, Where where = Where::current());
/// Correlation coefficients of the rows of x [variables, observations].
BURN_API Tensor corrcoef(const Tensor &x, Where where = Where::current());
/// How many elements fall into each of `bins` equal parts of [low, high], of x's type. Others do not count.
BURN_API Tensor histc(const Tensor &x, int64_t bins, double low, double high, Where where = Where::current());

} // namespace burn

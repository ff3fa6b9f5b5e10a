/// Functions that pick or replace elements. gather takes x[indices[i][j]][j] for dim 0, scatter writes there.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// x with `value` where the boolean `mask`, broadcast to x, holds.
BURN_API Tensor masked_fill(const Tensor &x, const Tensor &mask, const Operand &value);
/// The `length` positions of a dimension from `start` on (counted from the end where negative); an error where there
/// are fewer.
BURN_API Tensor narrow(const Tensor &x, int64_t dim, int64_t start, int64_t length, Where where = Where::current());
BURN_API Tensor select(const Tensor &x, int64_t dim, int64_t i, Where where = Where::current()); ///< x[..., i, ...]
/// The positions of a dimension that the integers of the vector `indices` name, in their order. Those below 0 count
/// from the end; one outside is an error of the run.
BURN_API Tensor index_select(const Tensor &x, int64_t dim, const Tensor &indices, Where where = Where::current());
/// x[i][indices[i][j][k]][k], for dim 1: of the shape of `indices`, which has x's rank and is nowhere but along `dim`
/// larger. Indices as for index_select.
BURN_API Tensor gather(const Tensor &x, int64_t dim, const Tensor &indices, Where where = Where::current());
/// gather, with all dimensions but `dim` broadcast against each other.
BURN_API Tensor take_along_dim(const Tensor &x, const Tensor &indices, int64_t dim, Where where = Where::current());
/// x with source[i][j][k], or a number, at x[i][indices[i][j][k]][k], for dim 1. Which of several elements stays at one
/// place is not said. Indices as for index_select.
BURN_API Tensor scatter(const Tensor &x, int64_t dim, const Tensor &indices, const Operand &source);
BURN_API Tensor scatter_add(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                            Where where = Where::current()); ///< adds, as scatter_reduce with Sum
BURN_API Tensor index_add(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source, Scalar alpha = 1,
                          Where where = Where::current()); ///< x + alpha source there; duplicates add up
/// The elements of the flattened tensor at `indices`, in their shape.
BURN_API Tensor take(const Tensor &x, const Tensor &indices, Where where = Where::current());
/// x with `value` at the integers of the 1-D tensor `indices` of a dimension.
BURN_API Tensor index_fill(const Tensor &x, int64_t dim, const Tensor &indices, const Operand &value);
/// x with the parts of `source` at the integers of the 1-D tensor `indices` of a dimension.
BURN_API Tensor index_copy(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                           Where where = Where::current());
/// x with `source` at position `i` of a dimension.
BURN_API Tensor select_scatter(const Tensor &x, const Tensor &source, int64_t dim, int64_t i,
                               Where where = Where::current());
/// x with `source` at positions start, start + 1, ... of a dimension.
BURN_API Tensor slice_scatter(const Tensor &x, const Tensor &source, int64_t dim = 0, Slice::Bound start = None,
                              Slice::Bound stop = None, Where where = Where::current());
/// Where `values` would stand in the last dimension of `sorted` [..., n]: how many of its elements are less, or
/// (`right`) not greater. Leading dimensions of both, if `sorted` has any, are the same. i64.
BURN_API Tensor searchsorted(const Tensor &sorted, const Tensor &values, bool right = false,
                             Where where = Where::current());
/// searchsorted of all elements of x in the vector `boundaries`.
BURN_API Tensor bucketize(const Tensor &x, const Tensor &boundaries, bool right = false,
                          Where where = Where::current());

/// x with the elements of `source` joined to those at x[i][indices[i][j][k]][k], for dim 1; without `include_self` to
/// each other alone. The derivative of an extremum goes to one element.
BURN_API Tensor scatter_reduce(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                               ScatterReduction reduction, bool include_self = true, Where where = Where::current());
/// The same with whole parts of a dimension, at the integers of the 1-D tensor `indices`.
BURN_API Tensor index_reduce(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                             ScatterReduction reduction, bool include_self = true, Where where = Where::current());
/// x with the elements of `source` at `indices` of the flattened tensor, or added to what stands there.
BURN_API Tensor put(const Tensor &x, const Tensor &indices, const Tensor &source, bool accumulate = false,
                    Where where = Where::current());

} // namespace burn

/// Products of matrices and what is made of them.
#pragma once

#include <burn/tensor.h>

#include <string_view>

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
/// Of vectors.
BURN_API Tensor dot(const Tensor &a, const Tensor &b, Where where = Where::current());
/// [n, k] x [k] -> [n]
BURN_API Tensor mv(const Tensor &matrix, const Tensor &vector, Where where = Where::current());
/// Sums over the last dimension of both; a number multiplies.
BURN_API Tensor inner(const Tensor &a, const Tensor &b, Where where = Where::current());
/// [n], [m] -> [n, m]
BURN_API Tensor outer(const Tensor &a, const Tensor &b, Where where = Where::current());
/// beta x + alpha a b of matrices. Where beta is 0, x does not count, even if it is NaN.
BURN_API Tensor addmm(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
                      Where where = Where::current());
/// beta x + alpha (matrix times vector)
BURN_API Tensor addmv(const Tensor &x, const Tensor &matrix, const Tensor &vector, Scalar beta = 1, Scalar alpha = 1,
                      Where where = Where::current());
/// beta x + alpha (outer product of two vectors)
BURN_API Tensor addr(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
                     Where where = Where::current());
/// beta x + alpha (sum over the batch of the products a[i] b[i])
BURN_API Tensor addbmm(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
                       Where where = Where::current());
/// beta x[i] + alpha a[i] b[i]
BURN_API Tensor baddbmm(const Tensor &x, const Tensor &a, const Tensor &b, Scalar beta = 1, Scalar alpha = 1,
                        Where where = Where::current());
/// Contracts the last `dims` dimensions of a with the first of b.
BURN_API Tensor tensordot(const Tensor &a, const Tensor &b, int64_t dims = 2, Where where = Where::current());
/// Contracts the dimensions of a with those of b, in pairs.
BURN_API Tensor tensordot(const Tensor &a, const Tensor &b, Dims dims_a, Dims dims_b, Where where = Where::current());
/// Einstein's summation, as "bij,bjk->bik": one list of letters for the dimensions of each tensor. Letters that the
/// result does not name are summed over; twice the same letter in one list takes the diagonal; "..." stands for leading
/// dimensions that are broadcast. Without "->" the result has the letters that stand once, in alphabetical order.
/// Products are formed from left to right.
BURN_API Tensor einsum(std::string_view equation, std::span<const Tensor> tensors, Where where = Where::current());
inline Tensor einsum(std::string_view equation, std::initializer_list<Tensor> tensors, Where where = Where::current()) {
  return einsum(equation, std::span<const Tensor>(tensors.begin(), tensors.size()), where);
}
/// Kronecker's product.
BURN_API Tensor kron(const Tensor &a, const Tensor &b, Where where = Where::current());
/// The cross product along a dimension of size 3.
BURN_API Tensor cross(const Tensor &a, const Tensor &b, int64_t dim = -1, Where where = Where::current());
/// The n-th power of square matrices, n >= 0.
BURN_API Tensor matrix_power(const Tensor &x, int64_t n, Where where = Where::current());
/// The product of matrices, in the order of the fewest multiplications.
BURN_API Tensor multi_dot(std::span<const Tensor> matrices, Where where = Where::current());
inline Tensor multi_dot(std::initializer_list<Tensor> matrices, Where where = Where::current()) {
  return multi_dot(std::span<const Tensor>(matrices.begin(), matrices.size()), where);
}
/// a [..., in1], b [..., in2], weight [out, in1, in2], bias [out] or not defined -> [..., out]
BURN_API Tensor bilinear(const Tensor &a, const Tensor &b, const Tensor &weight, const Tensor &bias = Tensor(),
                         Where where = Where::current());
/// [..., n, k], [..., m, k] -> [..., n, m]: the p-norms of the differences of all rows of a and b.
BURN_API Tensor cdist(const Tensor &a, const Tensor &b, double p = 2.0, Where where = Where::current());
/// [n, k] -> [n (n - 1) / 2]: the p-norms of the differences of rows i < j, those of row 0 first.
BURN_API Tensor pdist(const Tensor &x, double p = 2.0, Where where = Where::current());
/// The p-norm of a - b + eps along the last dimension.
BURN_API Tensor pairwise_distance(const Tensor &a, const Tensor &b, double p = 2.0, double eps = 1e-6,
                                  bool keepdim = false, Where where = Where::current());
/// The cosine of the angle between vectors along a dimension; norms are at least eps.
BURN_API Tensor cosine_similarity(const Tensor &a, const Tensor &b, int64_t dim = 1, double eps = 1e-8,
                                  Where where = Where::current());
/// x divided by its p-norm along dimensions, which is at least eps.
BURN_API Tensor normalize(const Tensor &x, double p = 2.0, Dims dims = 1, double eps = 1e-12,
                          Where where = Where::current());
/// The parts of x along a dimension, scaled down where their p-norm is above `maxnorm`.
BURN_API Tensor renorm(const Tensor &x, double p, int64_t dim, double maxnorm, Where where = Where::current());
/// The matrix with rows x^(n-1), ..., x, 1, or in the converse order; n is x's size unless given.
BURN_API Tensor vander(const Tensor &x, std::optional<int64_t> n = std::nullopt, bool increasing = false,
                       Where where = Where::current());

} // namespace burn

/// Functions of each element: arithmetic, comparisons, logic, elementary functions. Operands broadcast.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// Integers and booleans give f32 in div, exp, log, sqrt, tanh, erf, sigmoid and their like.
BURN_API Tensor add(const Operand &a, const Operand &b);
BURN_API Tensor sub(const Operand &a, const Operand &b);
BURN_API Tensor mul(const Operand &a, const Operand &b);
BURN_API Tensor div(const Operand &a, const Operand &b);
BURN_API Tensor pow(const Operand &base, const Operand &exponent);
/// The larger element; NaN if either is NaN.
BURN_API Tensor maximum(const Operand &a, const Operand &b);
BURN_API Tensor minimum(const Operand &a, const Operand &b);
BURN_API Tensor eq(const Operand &a, const Operand &b);
BURN_API Tensor ne(const Operand &a, const Operand &b);
BURN_API Tensor lt(const Operand &a, const Operand &b);
BURN_API Tensor le(const Operand &a, const Operand &b);
BURN_API Tensor gt(const Operand &a, const Operand &b);
BURN_API Tensor ge(const Operand &a, const Operand &b);
/// Numbers count as true where they are not 0.
BURN_API Tensor logical_and(const Operand &a, const Operand &b);
BURN_API Tensor logical_or(const Operand &a, const Operand &b);
BURN_API Tensor logical_xor(const Operand &a, const Operand &b);
BURN_API Tensor logical_not(const Tensor &x, Where where = Where::current());
BURN_API Tensor neg(const Tensor &x, Where where = Where::current());
BURN_API Tensor abs(const Tensor &x, Where where = Where::current());
/// -1, 0 or 1.
BURN_API Tensor sign(const Tensor &x, Where where = Where::current());
BURN_API Tensor exp(const Tensor &x, Where where = Where::current());
/// exp(x) - 1, accurate near 0.
BURN_API Tensor expm1(const Tensor &x, Where where = Where::current());
BURN_API Tensor log(const Tensor &x, Where where = Where::current());
/// log(1 + x), accurate near 0.
BURN_API Tensor log1p(const Tensor &x, Where where = Where::current());
BURN_API Tensor sqrt(const Tensor &x, Where where = Where::current());
/// 1 / sqrt(x)
BURN_API Tensor rsqrt(const Tensor &x, Where where = Where::current());
BURN_API Tensor square(const Tensor &x, Where where = Where::current());
BURN_API Tensor reciprocal(const Tensor &x, Where where = Where::current());
BURN_API Tensor tanh(const Tensor &x, Where where = Where::current());
BURN_API Tensor erf(const Tensor &x, Where where = Where::current());
BURN_API Tensor floor(const Tensor &x, Where where = Where::current());
BURN_API Tensor ceil(const Tensor &x, Where where = Where::current());
/// To nearest, ties to even.
BURN_API Tensor round(const Tensor &x, Where where = Where::current());
BURN_API Tensor isnan(const Tensor &x, Where where = Where::current());
BURN_API Tensor isinf(const Tensor &x, Where where = Where::current());
BURN_API Tensor clamp(const Tensor &x, std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt,
                      Where where = Where::current());
/// `a` where the boolean `condition` holds, else `b`; broadcast.
BURN_API Tensor where(const Tensor &condition, const Operand &a, const Operand &b);

} // namespace burn

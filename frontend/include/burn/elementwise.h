/// Functions of each element: arithmetic, comparisons, logic, elementary functions. Operands broadcast.
#pragma once

#include <burn/tensor.h>

namespace burn {

/// a + b
BURN_API Tensor add(const Operand &a, const Operand &b);
BURN_API Tensor sub(const Operand &a, const Operand &b); ///< a - b
BURN_API Tensor mul(const Operand &a, const Operand &b); ///< a b
BURN_API Tensor div(const Operand &a, const Operand &b); ///< a / b; of integers f32, as in exp, sqrt and their like
/// An integer exponent from -4 to 4 (for an integer base from 0 to 4) is part of the compiled program.
BURN_API Tensor pow(const Operand &base, const Operand &exponent);
/// The larger element; NaN if either is NaN.
BURN_API Tensor maximum(const Operand &a, const Operand &b);
BURN_API Tensor minimum(const Operand &a, const Operand &b); ///< the smaller; NaN if either is NaN
BURN_API Tensor eq(const Operand &a, const Operand &b);      ///< a == b, boolean
BURN_API Tensor ne(const Operand &a, const Operand &b);      ///< a != b
BURN_API Tensor lt(const Operand &a, const Operand &b);      ///< a < b
BURN_API Tensor le(const Operand &a, const Operand &b);      ///< a <= b
BURN_API Tensor gt(const Operand &a, const Operand &b);      ///< a > b
BURN_API Tensor ge(const Operand &a, const Operand &b);      ///< a >= b
/// Numbers count as true where they are not 0.
BURN_API Tensor logical_and(const Operand &a, const Operand &b);
BURN_API Tensor logical_or(const Operand &a, const Operand &b);               ///< either
BURN_API Tensor logical_xor(const Operand &a, const Operand &b);              ///< one of both
BURN_API Tensor logical_not(const Tensor &x, Where where = Where::current()); ///< where x is 0
BURN_API Tensor neg(const Tensor &x, Where where = Where::current());         ///< -x
BURN_API Tensor abs(const Tensor &x, Where where = Where::current());         ///< |x|
/// -1, 0 or 1.
BURN_API Tensor sign(const Tensor &x, Where where = Where::current());
BURN_API Tensor exp(const Tensor &x, Where where = Where::current()); ///< e^x
/// exp(x) - 1, accurate near 0.
BURN_API Tensor expm1(const Tensor &x, Where where = Where::current());
BURN_API Tensor log(const Tensor &x, Where where = Where::current()); ///< natural logarithm
/// log(1 + x), accurate near 0.
BURN_API Tensor log1p(const Tensor &x, Where where = Where::current());
BURN_API Tensor sqrt(const Tensor &x, Where where = Where::current()); ///< NaN of x < 0
/// 1 / sqrt(x)
BURN_API Tensor rsqrt(const Tensor &x, Where where = Where::current());
BURN_API Tensor square(const Tensor &x, Where where = Where::current());     ///< x^2
BURN_API Tensor reciprocal(const Tensor &x, Where where = Where::current()); ///< 1 / x
BURN_API Tensor tanh(const Tensor &x, Where where = Where::current());       ///< hyperbolic tangent
BURN_API Tensor erf(const Tensor &x, Where where = Where::current());        ///< the error function
BURN_API Tensor floor(const Tensor &x, Where where = Where::current());      ///< rounded down
BURN_API Tensor ceil(const Tensor &x, Where where = Where::current());       ///< rounded up
/// To nearest, ties to even.
BURN_API Tensor round(const Tensor &x, Where where = Where::current());
BURN_API Tensor isnan(const Tensor &x, Where where = Where::current());    ///< boolean
BURN_API Tensor isinf(const Tensor &x, Where where = Where::current());    ///< boolean; either sign
BURN_API Tensor isfinite(const Tensor &x, Where where = Where::current()); ///< neither NaN nor infinite
BURN_API Tensor clamp(const Tensor &x, std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt,
                      Where where = Where::current());
/// `a` where the boolean `condition` holds, else `b`; broadcast.
BURN_API Tensor where(const Tensor &condition, const Operand &a, const Operand &b);
/// The bounds are broadcast against x.
BURN_API Tensor clamp(const Tensor &x, const Tensor &low, const Tensor &high, Where where = Where::current());
BURN_API Tensor clamp_min(const Tensor &x, Scalar low, Where where = Where::current());  ///< maximum of x and `low`
BURN_API Tensor clamp_max(const Tensor &x, Scalar high, Where where = Where::current()); ///< minimum of x and `high`
/// The larger element; where one is NaN, the other.
BURN_API Tensor fmax(const Operand &a, const Operand &b);
BURN_API Tensor fmin(const Operand &a, const Operand &b);                     ///< the smaller element, likewise
BURN_API Tensor bitwise_and(const Operand &a, const Operand &b);              ///< of integers and booleans
BURN_API Tensor bitwise_or(const Operand &a, const Operand &b);               ///< likewise
BURN_API Tensor bitwise_xor(const Operand &a, const Operand &b);              ///< likewise
BURN_API Tensor bitwise_not(const Tensor &x, Where where = Where::current()); ///< likewise
/// x + value a b
BURN_API Tensor addcmul(const Tensor &x, const Tensor &a, const Tensor &b, Scalar value = 1,
                        Where where = Where::current());
/// x + value a / b
BURN_API Tensor addcdiv(const Tensor &x, const Tensor &a, const Tensor &b, Scalar value = 1,
                        Where where = Where::current());
/// a + weight (b - a), which is b where the weight is 1.
BURN_API Tensor lerp(const Tensor &a, const Tensor &b, const Operand &weight);
/// log(exp(a) + exp(b)) without overflow.
BURN_API Tensor logaddexp(const Operand &a, const Operand &b);
/// log2(2^a + 2^b) without overflow.
BURN_API Tensor logaddexp2(const Operand &a, const Operand &b);
/// x log(y), and 0 where x is 0 and y is not NaN.
BURN_API Tensor xlogy(const Operand &x, const Operand &y);
/// x log(1 + y), and 0 where x is 0 and y is not NaN.
BURN_API Tensor xlog1py(const Operand &x, const Operand &y);
/// log(x / (1 - x)), of x moved into [eps, 1 - eps] where eps is given.
BURN_API Tensor logit(const Tensor &x, std::optional<double> eps = std::nullopt, Where where = Where::current());
BURN_API Tensor deg2rad(const Tensor &x, Where where = Where::current()); ///< pi / 180 x
BURN_API Tensor rad2deg(const Tensor &x, Where where = Where::current()); ///< 180 / pi x
/// The part behind the point, with the sign of x.
BURN_API Tensor frac(const Tensor &x, Where where = Where::current());
/// 0 below 0, 1 above, `value` at 0.
BURN_API Tensor heaviside(const Tensor &x, const Operand &value);
/// NaN and infinities replaced by numbers; without them by 0, the greatest and the least finite number.
BURN_API Tensor nan_to_num(const Tensor &x, double nan = 0.0, std::optional<double> posinf = std::nullopt,
                           std::optional<double> neginf = std::nullopt, Where where = Where::current());
BURN_API Tensor isposinf(const Tensor &x, Where where = Where::current()); ///< boolean
BURN_API Tensor isneginf(const Tensor &x, Where where = Where::current()); ///< boolean
/// |a - b| <= atol + rtol |b|, or equal infinities, or (`equal_nan`) both NaN.
BURN_API Tensor isclose(const Operand &a, const Operand &b, double rtol = 1e-5, double atol = 1e-8,
                        bool equal_nan = false);
/// Whether all elements are close; reads the values.
BURN_API bool allclose(const Operand &a, const Operand &b, double rtol = 1e-5, double atol = 1e-8,
                       bool equal_nan = false);
/// Whether shapes and all values are equal; reads the values.
BURN_API bool equal(const Tensor &a, const Tensor &b, Where where = Where::current());

} // namespace burn

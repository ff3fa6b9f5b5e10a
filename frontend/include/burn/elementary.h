/// Elementary and special functions of each element, and functions of its representation. Operands broadcast; integers
/// and booleans give f32 where the result is no integer by nature. Special values are those of ISO C.
#pragma once

#include <burn/tensor.h>

namespace burn {

BURN_API Tensor sin(const Tensor &x, Where where = Where::current());   ///< x in radians
BURN_API Tensor cos(const Tensor &x, Where where = Where::current());   ///< x in radians
BURN_API Tensor tan(const Tensor &x, Where where = Where::current());   ///< x in radians
BURN_API Tensor asin(const Tensor &x, Where where = Where::current());  ///< in [-pi/2, pi/2]
BURN_API Tensor acos(const Tensor &x, Where where = Where::current());  ///< in [0, pi]
BURN_API Tensor atan(const Tensor &x, Where where = Where::current());  ///< in [-pi/2, pi/2]
BURN_API Tensor sinh(const Tensor &x, Where where = Where::current());  ///< (exp(x) - exp(-x)) / 2
BURN_API Tensor cosh(const Tensor &x, Where where = Where::current());  ///< (exp(x) + exp(-x)) / 2
BURN_API Tensor asinh(const Tensor &x, Where where = Where::current()); ///< inverse of sinh
BURN_API Tensor acosh(const Tensor &x, Where where = Where::current()); ///< inverse of cosh, x >= 1
BURN_API Tensor atanh(const Tensor &x, Where where = Where::current()); ///< inverse of tanh
inline Tensor arcsin(const Tensor &x, Where where = Where::current()) { return asin(x, where); }   ///< asin
inline Tensor arccos(const Tensor &x, Where where = Where::current()) { return acos(x, where); }   ///< acos
inline Tensor arctan(const Tensor &x, Where where = Where::current()) { return atan(x, where); }   ///< atan
inline Tensor arcsinh(const Tensor &x, Where where = Where::current()) { return asinh(x, where); } ///< asinh
inline Tensor arccosh(const Tensor &x, Where where = Where::current()) { return acosh(x, where); } ///< acosh
inline Tensor arctanh(const Tensor &x, Where where = Where::current()) { return atanh(x, where); } ///< atanh
/// The angle of the point (x, y), in [-pi, pi]; 0 at the origin, where the derivative is 0 as well.
BURN_API Tensor atan2(const Operand &y, const Operand &x);
inline Tensor arctan2(const Operand &y, const Operand &x) { return atan2(y, x); } ///< atan2
/// sqrt(a^2 + b^2) without overflow in between; the derivative is 0 where the result is.
BURN_API Tensor hypot(const Operand &a, const Operand &b);
BURN_API Tensor exp2(const Tensor &x, Where where = Where::current());  ///< 2^x
BURN_API Tensor log2(const Tensor &x, Where where = Where::current());  ///< logarithm to base 2
BURN_API Tensor log10(const Tensor &x, Where where = Where::current()); ///< logarithm to base 10
BURN_API Tensor cbrt(const Tensor &x, Where where = Where::current());  ///< x^(1/3), also of x < 0
/// 1 - erf(x), accurate where erf is near 1.
BURN_API Tensor erfc(const Tensor &x, Where where = Where::current());
BURN_API Tensor erfinv(const Tensor &x, Where where = Where::current()); ///< the inverse of erf
/// log |gamma(x)|
BURN_API Tensor lgamma(const Tensor &x, Where where = Where::current());
/// The derivative of lgamma.
BURN_API Tensor digamma(const Tensor &x, Where where = Where::current());
/// The derivative of digamma of order n, which is at most 64; order 0 is digamma itself.
BURN_API Tensor polygamma(int64_t n, const Tensor &x, Where where = Where::current());

/// The quotient, rounded; of integers in their type, where x / 0 is -1 (all bits set).
BURN_API Tensor div(const Operand &a, const Operand &b, RoundingMode rounding);
inline Tensor floor_divide(const Operand &a, const Operand &b) { return div(a, b, RoundingMode::Floor); } ///< downwards
/// The remainder of the quotient rounded to zero, with the sign of a; of the one rounded down, with the sign of b.
/// Exact. Of integers a where b is 0.
BURN_API Tensor fmod(const Operand &a, const Operand &b);
BURN_API Tensor remainder(const Operand &a, const Operand &b); ///< likewise, of the quotient rounded down
/// To zero.
BURN_API Tensor trunc(const Tensor &x, Where where = Where::current());
inline Tensor fix(const Tensor &x, Where where = Where::current()) { return trunc(x, where); } ///< trunc
/// |a| with the sign of b, also of a zero.
BURN_API Tensor copysign(const Operand &a, const Operand &b);
/// Whether the sign is negative, also of a zero.
BURN_API Tensor signbit(const Tensor &x, Where where = Where::current());
/// Of integers. A shift by less than 0, or by the width of the type or more, leaves 0, or the sign of a signed integer
/// shifted to the right.
BURN_API Tensor bitwise_left_shift(const Operand &a, const Operand &b);
BURN_API Tensor bitwise_right_shift(const Operand &a, const Operand &b); ///< likewise
/// How many bits of an integer are one, and how many before the first of those are zero.
BURN_API Tensor population_count(const Tensor &x, Where where = Where::current());
BURN_API Tensor count_leading_zeros(const Tensor &x, Where where = Where::current()); ///< zeros before the first one
/// x rounded to a float type that is not wider, in its own type; the gradient is rounded likewise.
BURN_API Tensor reduce_precision(const Tensor &x, DType type, Where where = Where::current());

} // namespace burn

// Newton's method for the inverse, Euler-Maclaurin summation for the family of gamma. Nothing is shared with the
// payloads, which are polynomials and rational functions.
#include "dialects/Burn/Interpreter/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace burn::ir::meaning {

namespace {

constexpr long double infinity = std::numeric_limits<long double>::infinity();
constexpr long double notANumber = std::numeric_limits<long double>::quiet_NaN();

// Bernoulli's numbers B2, B4, ...
constexpr long double bernoulli[] = {1.0L / 6,       -1.0L / 30,       1.0L / 42,       -1.0L / 30,
                                     5.0L / 66,      -691.0L / 2730,   7.0L / 6,        -3617.0L / 510,
                                     43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

// Hurwitz's zeta function, the sum of (x + k)^-s over k >= 0, for x > 0.
long double zeta(long double s, long double x) {
  long double sum = 0;
  // The rest is smooth enough where x is large beside s.
  for (; x < s + 20; x += 1) {
    const long double term = std::pow(x, -s);
    sum += term;
    if (term * (s + 20) < sum * 1e-21L)
      return sum;
  }
  const long double first = std::pow(x, -s);
  sum += x * first / (s - 1) + first / 2;
  long double factor = first * s / (2 * x); // s (s + 1) ... x^-(s + 2j - 1) / (2j)!
  long double j = 1;
  for (long double number : bernoulli) {
    sum += number * factor;
    factor *= (s + 2 * j - 1) * (s + 2 * j) / ((2 * j + 1) * (2 * j + 2) * x * x);
    j += 1;
  }
  return sum;
}

bool isPole(long double x) { return x <= 0 && x == std::floor(x); }

} // namespace

long double inverseErf(long double y) {
  const long double a = std::fabs(y), slope = 2 * std::numbers::inv_sqrtpi_v<long double>;
  if (!(a <= 1))
    return notANumber;
  if (a == 0)
    return y;
  if (a == 1)
    return std::copysign(infinity, y);
  long double x;
  if (a < 0.5L) {
    x = a / slope;
    for (int i = 0; i < 8; ++i)
      x -= (std::erf(x) - a) / (slope * std::exp(-x * x));
  } else {
    // 1 - a is exact. From this side the concave logarithm of erfc is approached without overshooting.
    const long double rest = 1 - a;
    x = std::sqrt(-std::log(rest));
    for (int i = 0; i < 60; ++i) {
      const long double tail = std::erfc(x);
      const long double step = (std::log(tail) - std::log(rest)) * tail / (slope * std::exp(-x * x));
      x += step;
      if (std::fabs(step) < 1e-19L * x)
        break;
    }
  }
  return std::copysign(x, y);
}

long double logGamma(long double x) {
  int sign;
  return ::lgammal_r(x, &sign);
}

long double digamma(long double x) {
  if (x == 0)
    return std::copysign(infinity, -x);
  if (isPole(x))
    return notANumber;
  if (x < 0) // the argument of the tangent is reduced exactly
    return digamma(1 - x) -
           std::numbers::pi_v<long double> / std::tan(std::numbers::pi_v<long double> * (x - std::round(x)));
  if (x == infinity)
    return x;
  long double sum = 0;
  for (; x < 30; x += 1)
    sum -= 1 / x;
  const long double inverse = 1 / (x * x);
  long double power = inverse;
  sum += std::log(x) - 1 / (2 * x);
  for (int j = 0; j < 10; ++j, power *= inverse)
    sum -= bernoulli[j] / (2 * (j + 1)) * power;
  return sum;
}

long double polygamma(int64_t order, long double x) {
  const bool odd = order % 2 != 0;
  if (std::isnan(x))
    return x;
  if (isPole(x))
    return odd ? infinity : -infinity;
  if (x == infinity)
    return odd ? 0.0L : -0.0L;
  long double factor = odd ? 1 : -1;
  for (int64_t k = 2; k <= order; ++k)
    factor *= static_cast<long double>(k);
  const long double s = static_cast<long double>(order) + 1;
  if (x > 0)
    return factor * zeta(s, x);
  // The sum over all integers has period 1, and for k < 0 it is the zeta function of 1 - x.
  const long double rest = x - std::round(x), parity = odd ? 1 : -1;
  long double whole;
  if (const long double fromMiddle = 0.5L - std::fabs(rest); !odd && fromMiddle < 0.125L) {
    // The two sides cancel in the middle between two poles: zeta(s, 1/2 - d) - zeta(s, 1/2 + d) by its series in d.
    whole = 0;
    long double power = s * fromMiddle; // s (s + 1) ... (s + j - 1) d^j / j!
    for (long double j = 1; j < 60; j += 2) {
      whole += 2 * power * zeta(s + j, 0.5L);
      power *= (s + j) * (s + j + 1) / ((j + 1) * (j + 2)) * fromMiddle * fromMiddle;
    }
    whole = std::copysign(whole, rest);
  } else {
    const long double nearest = (odd || rest > 0 ? 1 : -1) * std::pow(std::fabs(rest), -s);
    whole = nearest + zeta(s, 1 + rest) + parity * zeta(s, 1 - rest);
  }
  return factor * (whole - parity * zeta(s, 1 - x));
}

} // namespace burn::ir::meaning

// What each op should give: in f64 by libm or a formula, and by MPFR.
#include "tools/burn-bench/Accuracy.h"

#include "runtime/Core/OpRules/OpRules.h"
#include "runtime/Core/OpTable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

namespace burn::bench {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

double rsqrt(double x) { return 1 / std::sqrt(x); }
double logistic(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
double logGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

double gelu(double x) { return x == -infinity ? -0.0 : x / 2 * std::erfc(-x / std::numbers::sqrt2); }
double geluTanh(double x) {
  if (std::isinf(x))
    return x > 0 ? x : -0.0;
  return x / (1 + std::exp(-std::sqrt(8 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

// Newton's method on erf, or near the ends on erfc.
double inverseErf(double y) {
  const double a = std::fabs(y);
  if (!(a < 1))
    return a == 1 ? std::copysign(infinity, y) : notANumber;
  if (a < 1e-9)
    return y * 0.886226925452758013649;
  const double w = -std::log((1 - a) * (1 + a));
  double x = w < 3 ? 0.886226925452758013649 * a * (1 + 0.26 * a * a) : std::sqrt(w) - 0.5 * std::log(w) / std::sqrt(w);
  for (int step = 0; step < 60; ++step) {
    const double error = a < 0.5 ? std::erf(x) - a : (1 - a) - std::erfc(x);
    double change = error * 0.886226925452758013649 * std::exp(x * x);
    change /= 1 + x * change;
    x -= change;
    if (std::fabs(change) < 1e-15 * x)
      break;
  }
  return std::copysign(x, y);
}

// The Euler-Maclaurin sum of the Hurwitz zeta function, whose first terms are added one by one. The coefficients are
// B(2j) / (2j)!.
template <typename Number> Number hurwitz(long s, Number x, int terms, const std::vector<Number> &coefficients) {
  auto inversePower = [](const Number &base, long exponent) {
    Number result(1);
    for (long i = 0; i < exponent; ++i)
      result = result / base;
    return result;
  };
  Number sum(0);
  for (int k = 0; k < terms; ++k)
    sum = sum + inversePower(x + Number(k), s);
  const Number end = x + Number(terms);
  Number power = inversePower(end, s);
  sum = sum + inversePower(end, s - 1) / Number(double(s - 1)) + power / Number(2);
  Number factor = power * Number(double(s)) / end;
  for (size_t j = 0; j < coefficients.size(); ++j) {
    sum = sum + factor * coefficients[j];
    factor = factor * Number(double(s + 2 * long(j) + 1)) * Number(double(s + 2 * long(j) + 2)) / (end * end);
  }
  return sum;
}

constexpr double kEulerMaclaurin[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};

double trigamma(double x) {
  if (std::isnan(x) || x == infinity)
    return x == infinity ? 0 : x;
  if (x <= 0) {
    if (x == std::floor(x))
      return infinity;
    const double sine = std::sin(std::numbers::pi * (x - std::round(x)));
    return std::numbers::pi * std::numbers::pi / (sine * sine) - trigamma(1 - x);
  }
  static const std::vector<double> coefficients(std::begin(kEulerMaclaurin), std::end(kEulerMaclaurin));
  return hurwitz<double>(2, x, 12, coefficients);
}

// In long double, since next to the zeros the terms cancel.
double digamma(double argument) {
  if (argument == 0)
    return std::copysign(infinity, -argument);
  if (argument < 0 && argument == std::floor(argument))
    return notANumber;
  long double x = argument, shift = 0;
  if (x < 0) {
    shift = std::numbers::pi_v<long double> / std::tan(std::numbers::pi_v<long double> * (x - std::round(x)));
    x = 1 - x;
  }
  for (; x < 20; x += 1)
    shift += 1 / x;
  const long double z = 1 / (x * x);
  const long double tail = z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * (1 / 240.0L - z * (1 / 132.0L)))));
  return double(std::log(x) - 0.5L / x - tail - shift);
}

Big half(const Big &x) { return x / Big(2); }

Big::Function wrap(Big (*function)(const Big &)) {
  return [function](const Big &x, const Big &) { return function(x); };
}

// MPFR gives plus infinity for -0, IEEE 754 minus infinity.
Big exactRsqrt(const Big &x) {
  static const Big::Function rsqrt = Big::unary("rec_sqrt");
  return x.isZero() ? Big(x.isNegative() ? -infinity : infinity) : rsqrt(x, x);
}

Big exactLogistic(const Big &x) {
  static const Big::Function exp = Big::unary("exp");
  return Big(1) / (Big(1) + exp(-x, x));
}

Big exactGelu(const Big &x) {
  static const Big::Function erfc = Big::unary("erfc");
  static const Big root = Big::unary("sqrt")(Big(2), Big());
  if (x.isInfinite() && x.isNegative())
    return Big(-0.0);
  return half(x) * erfc(-x / root, x);
}

Big exactGeluTanh(const Big &x) {
  static const Big::Function exp = Big::unary("exp");
  static const Big factor = Big::unary("sqrt")(Big(8) / Big::pi(), Big());
  if (x.isInfinite() && x.isNegative())
    return Big(-0.0);
  return x / (Big(1) + exp(-(factor * (x + Big(44715) / Big(1000000) * x * x * x)), x));
}

// From the f64 result, by Newton's method.
Big exactInverseErf(const Big &y) {
  static const Big::Function erf = Big::unary("erf"), erfc = Big::unary("erfc"), exp = Big::unary("exp");
  static const Big factor = half(Big::unary("sqrt")(Big::pi(), Big()));
  const double start = inverseErf(y.toDouble());
  if (y.isZero() || std::isnan(start) || std::isinf(start))
    return y.isZero() ? y : Big(start);
  Big x(start);
  if (start == 0) // below the subnormal numbers
    return y * factor;
  for (int step = 0; step < 6; ++step) {
    const bool upper = y.compare(0.5) > 0, lower = y.compare(-0.5) < 0;
    const Big error = upper ? (Big(1) - y) - erfc(x, x) : lower ? erfc(-x, x) - (Big(1) + y) : erf(x, x) - y;
    x = x - error * factor * exp(x * x, x);
  }
  return x;
}

Big exactDigamma(const Big &x) {
  static const Big::Function digamma = Big::unary("digamma");
  if (x.isZero())
    return Big(x.isNegative() ? infinity : -infinity);
  return digamma(x, x);
}

Big exactPolygamma(long order, const Big &x) {
  const double sign = order % 2 == 1 ? 1 : -1;
  if (x.isNan())
    return x;
  if (x.isInfinite() && !x.isNegative())
    return Big(sign * 0.0);
  if (x.isZero() || (x.isNegative() && x.isInteger()))
    return Big(sign * infinity);
  static const std::vector<Big> coefficients = [] {
    // B(2j) / (2j)! = (-1)^(j + 1) 2 zeta(2j) / (2 pi)^(2j), the zeta function as a sum with the same formula.
    const Big::Function zeta = Big::unary("zeta");
    std::vector<Big> result;
    for (int j = 1; j <= 25; ++j) {
      const Big value = Big(2) * zeta(Big(2.0 * j), Big()) / (Big(2) * Big::pi()).power(2 * j);
      result.push_back(j % 2 == 1 ? value : -value);
    }
    return result;
  }();
  const int terms = 50 + int(order) + (x.isNegative() ? int(-x.toDouble()) : 0);
  Big result = hurwitz<Big>(order + 1, x, terms, coefficients);
  for (long i = 2; i <= order; ++i)
    result = result * Big(double(i));
  return Big(sign) * result;
}

} // namespace

std::vector<MathFunction> mathFunctions() {
  auto unary = [](const char *op, double (*narrow)(double), double bound32, double bound64, double jax32 = 0,
                  double jax64 = 0) {
    return MathFunction{op, "", "", 1, narrow, Big::unary(op), bound32, bound64, jax32, jax64};
  };
  auto binary = [](const char *op, double bound, double jax32 = 0, double jax64 = 0) {
    return MathFunction{op, "", "", 2, nullptr, Big::binary(op), bound, bound, jax32, jax64};
  };
  std::vector<MathFunction> functions = {
      unary("exp", std::exp, 1, 2, 1.5, 2),
      unary("exp2", std::exp2, 2, 2, 68.5, 719),
      unary("expm1", std::expm1, 2, 2, 6.5, 4.5),
      unary("log", std::log, 1, 2, 1.5, 0.5),
      unary("log2", std::log2, 2, 2, 2.5, 1.5),
      unary("log10", std::log10, 2, 2, 3, 2),
      unary("log1p", std::log1p, 2, 2, 3, 2),
      unary("sqrt", std::sqrt, 0.5001, 0.5001, 0.5, 0.5),
      {"rsqrt", "", "", 1, rsqrt, wrap(exactRsqrt), 1, 2, 1, 1.5},
      unary("cbrt", std::cbrt, 1, 2, 0.5, 0.5),
      unary("sin", std::sin, 1, 2, 0.5, 0.5),
      unary("cos", std::cos, 1, 2, 0.5, 0.5),
      unary("tan", std::tan, 1, 2, 0.5, 0.5),
      unary("asin", std::asin, 2, 2, 2, 1.5),
      unary("acos", std::acos, 2, 2, 1.5, 1.5),
      unary("atan", std::atan, 2, 2, 4, 3.5),
      unary("sinh", std::sinh, 2, 2, 25, 496),
      unary("cosh", std::cosh, 2, 2, 25, 496),
      unary("tanh", std::tanh, 2, 2, 5, 7),
      unary("asinh", std::asinh, 2, 2, 3.5, 2.5),
      unary("acosh", std::acosh, 2, 2, 4.5, 3.5),
      unary("atanh", std::atanh, 2, 2, 3, 2.5),
      unary("erf", std::erf, 2, 2, 7, 2.5),
      unary("erfc", std::erfc, 2, 2, 4, 2.5),
      {"erfinv", "", "", 1, inverseErf, wrap(exactInverseErf), 4, 4, 65, 500000},
      {"logistic", "", "", 1, logistic, wrap(exactLogistic), 2, 2, 2.5, 3.5},
      {"gelu", "none", "", 1, gelu, wrap(exactGelu), 2, 2},
      {"gelu", "tanh", "", 1, geluTanh, wrap(exactGeluTanh), 2, 2},
      {"lgamma", "", "", 1, logGamma, wrap(Big::logGamma), 4, 4, 0, 0, true},
      {"digamma", "", "", 1, digamma, wrap(exactDigamma), 4, 4, 0, 0, true},
      {"polygamma", "", "{n = 1}", 1, trigamma, wrap([](const Big &x) { return exactPolygamma(1, x); }), 4, 4, 0, 0,
       false, -500},
      {"polygamma", "", "{n = 2}", 1, nullptr, wrap([](const Big &x) { return exactPolygamma(2, x); }), 4, 4, 0, 0,
       true, -500},
      {"polygamma", "", "{n = 5}", 1, nullptr, wrap([](const Big &x) { return exactPolygamma(5, x); }), 4, 4, 0, 0,
       false, -500},
      binary("pow", 2),
      binary("atan2", 1, 0.5, 0.5),
      binary("hypot", 1, 1.5, 1.5),
  };
  for (long exponent : {-3, 2, 3, 10})
    functions.push_back({"powi", "", "{exponent = " + std::to_string(exponent) + "}", 1, nullptr,
                         [exponent](const Big &x, const Big &) { return x.power(exponent); }, 2, 2});
  for (const char *op : {"add", "sub", "mul", "div"})
    functions.push_back(binary(op, 0.5001));
  return functions;
}

std::vector<std::string> uncoveredOps(const std::vector<MathFunction> &functions) {
  // Exactly specified, or no arithmetic; composites are made of the ops that are measured.
  static const std::set<std::string_view> others = {
      "neg",  "abs",  "sign", "relu",       "floor",       "ceil",          "round_even", "trunc",     "max",
      "min",  "fmax", "fmin", "copysign",   "rem",         "is_nan",        "is_inf",     "is_finite", "floor_div",
      "silu", "mish", "selu", "hard_swish", "log_sigmoid", "stop_gradient", "barrier"};
  std::set<std::string_view> known = others;
  for (const MathFunction &function : functions)
    known.insert(function.op);
  std::vector<std::string> result;
  const core::TypeDesc type{DType::F32, Shape{8}};
  for (const core::OpInfo &info : core::allOps()) {
    if (!info.inGraph || !info.resultsInferred || info.results != 1 || !info.attributes.empty() ||
        known.count(info.name))
      continue;
    if (info.leastOperands != info.mostOperands || info.leastOperands < 1 || info.leastOperands > 2)
      continue;
    std::vector<core::TypeDesc> operands(size_t(info.leastOperands), type), results;
    if (core::inferTypes(info.code, operands, {}, results) && results.size() == 1 && results[0] == type)
      result.emplace_back(info.name);
  }
  return result;
}

} // namespace burn::bench

// The meaning of each elementwise op on one element: one struct per op, with a template `of` over the
// types to compute in (see Evaluation.h).
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace burn::ir::meaning {

using Complex = std::complex<double>;

template <typename C>
concept Integer = std::is_same_v<C, int64_t> || std::is_same_v<C, uint64_t>;
template <typename C>
concept Bits = Integer<C> || std::is_same_v<C, bool>;
template <typename C>
concept Float = std::is_same_v<C, double> || std::is_same_v<C, Complex>;

inline double real(double x) { return x; }
inline double real(Complex x) { return x.real(); }

// Integers wrap: computed without sign, where overflow is defined.
template <Integer C> C wrapped(uint64_t value) { return static_cast<C>(value); }

struct Neg {
  static double of(double x) { return -x; }
  static Complex of(Complex x) { return -x; }
  template <Integer C> static C of(C x) { return wrapped<C>(0 - static_cast<uint64_t>(x)); }
};

struct Abs {
  static double of(double x) { return std::fabs(x); }
  // The derivative at 0 is 0.
  static Complex of(Complex x) { return x.real() > 0 ? x : x.real() < 0 ? -x : Complex(std::fabs(x.real())); }
  static int64_t of(int64_t x) { return x < 0 ? Neg::of(x) : x; }
  static uint64_t of(uint64_t x) { return x; }
};

struct Sign {
  static double of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
  static Complex of(Complex x) { return of(x.real()); }
  static int64_t of(int64_t x) { return (x > 0) - (x < 0); }
  static uint64_t of(uint64_t x) { return x > 0; }
};

struct Exp {
  template <Float C> static C of(C x) { return std::exp(x); }
};

struct Expm1 {
  static double of(double x) { return std::expm1(x); }
  static Complex of(Complex x) {
    const double half = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, std::exp(x.real()) * std::sin(x.imag())};
  }
};

struct Log {
  template <Float C> static C of(C x) { return std::log(x); }
};

struct Log1p {
  static double of(double x) { return std::log1p(x); }
  static Complex of(Complex x) {
    const double a = x.real(), b = x.imag();
    return {std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a)};
  }
};

struct Sqrt {
  template <Float C> static C of(C x) { return std::sqrt(x); }
};

struct Rsqrt {
  template <Float C> static C of(C x) { return 1.0 / std::sqrt(x); }
};

struct Tanh {
  template <Float C> static C of(C x) { return std::tanh(x); }
};

struct Erf {
  static double of(double x) { return std::erf(x); }
  // To first order in the imaginary part, which is infinitesimal.
  static Complex of(Complex x) {
    const double slope = 2 / std::sqrt(M_PI) * std::exp(-x.real() * x.real());
    return {std::erf(x.real()), slope * x.imag()};
  }
};

struct Logistic {
  template <Float C> static C of(C x) {
    if (std::real(x) >= 0)
      return 1.0 / (1.0 + std::exp(-x));
    const C e = std::exp(x); // exp(-x) would leave the range before the result does
    return e / (1.0 + e);
  }
};

struct Floor {
  static double of(double x) { return std::floor(x); }
  static Complex of(Complex x) { return std::floor(x.real()); }
};

struct Ceil {
  static double of(double x) { return std::ceil(x); }
  static Complex of(Complex x) { return std::ceil(x.real()); }
};

struct RoundEven {
  static double of(double x) { return __builtin_roundeven(x); }
  static Complex of(Complex x) { return __builtin_roundeven(x.real()); }
};

struct Not {
  static bool of(bool x) { return !x; }
  template <Integer C> static C of(C x) { return ~x; }
};

struct Add {
  template <Float C> static C of(C a, C b) { return a + b; }
  template <Integer C> static C of(C a, C b) { return wrapped<C>(uint64_t(a) + uint64_t(b)); }
};

struct Sub {
  template <Float C> static C of(C a, C b) { return a - b; }
  template <Integer C> static C of(C a, C b) { return wrapped<C>(uint64_t(a) - uint64_t(b)); }
};

struct Mul {
  template <Float C> static C of(C a, C b) { return a * b; }
  template <Integer C> static C of(C a, C b) { return wrapped<C>(uint64_t(a) * uint64_t(b)); }
};

struct Div {
  template <Float C> static C of(C a, C b) { return a / b; }
  // Total: x / 0 has all bits set, and the least integer / -1 wraps to itself.
  static int64_t of(int64_t a, int64_t b) { return b == 0 ? -1 : b == -1 ? Neg::of(a) : a / b; }
  static uint64_t of(uint64_t a, uint64_t b) { return b == 0 ? ~uint64_t(0) : a / b; }
};

struct Pow {
  static double of(double a, double b) { return std::pow(a, b); }
  static Complex of(Complex a, Complex b) {
    const double base = a.real(), exponent = b.real();
    if (base > 0)
      return std::exp(b * std::log(a));
    // Along the real axis: the logarithm of a negative base has no derivative there that is real.
    const double slope = exponent == 0 ? 0 : exponent * std::pow(base, exponent - 1);
    return {std::pow(base, exponent), slope * a.imag()};
  }
  template <Integer C> static C of(C a, C b) {
    if constexpr (std::is_signed_v<C>)
      if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    uint64_t result = 1, square = static_cast<uint64_t>(a);
    for (uint64_t rest = static_cast<uint64_t>(b); rest; rest >>= 1, square *= square)
      if (rest & 1)
        result *= square;
    return static_cast<C>(result);
  }
};

struct Max {
  template <Float C> static C of(C a, C b) {
    const double x = real(a), y = real(b);
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) ? a : b;
    if (x == y)
      return std::signbit(x) && !std::signbit(y) ? b : a;
    return x > y ? a : b;
  }
  template <Bits C> static C of(C a, C b) { return a < b ? b : a; }
};

struct Min {
  template <Float C> static C of(C a, C b) {
    const double x = real(a), y = real(b);
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) ? a : b;
    if (x == y)
      return std::signbit(y) && !std::signbit(x) ? b : a;
    return x < y ? a : b;
  }
  template <Bits C> static C of(C a, C b) { return b < a ? b : a; }
};

struct Relu {
  static double of(double x) { return Max::of(x, 0.0); }
  static Complex of(Complex x) { return x.real() > 0 || std::isnan(x.real()) ? x : Complex(0); }
  template <Integer C> static C of(C x) { return Max::of(x, C(0)); }
};

struct And {
  template <Bits C> static C of(C a, C b) { return a & b; }
};

struct Or {
  template <Bits C> static C of(C a, C b) { return a | b; }
};

struct Xor {
  template <Bits C> static C of(C a, C b) { return a ^ b; }
};

struct Clamp {
  template <typename C> static C of(C x, C low, C high) { return Min::of(Max::of(x, low), high); }
};

} // namespace burn::ir::meaning

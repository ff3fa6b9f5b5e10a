// Numbers of many bits, for references: MPFR, opened at run time.
#pragma once

#include <mpfr.h>

#include <functional>
#include <string>

namespace burn::bench {

/// The significand and exponents of a floating-point type.
struct FloatFormat {
  int digits;   // of the significand
  int least;    // exponent of the least normal number
  int greatest; // the first power of two beyond the range
};

/// A number of 300 bits, each operation rounded once. Exists only where `Big::open` found MPFR.
class Big {
public:
  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  using Function = std::function<Big(const Big &, const Big &)>;

  /// Opens the library of that name or path; false where there is none.
  static bool open(const std::string &library);
  /// A function of MPFR such as "sin" or "pow"; of unary ones the second argument is not used.
  static Function unary(const char *name);
  static Function binary(const char *name);

  Big(double value = 0);
  Big(const Big &other);
  Big &operator=(const Big &other);
  ~Big();

  static Big pi();
  static Big logGamma(const Big &x);
  Big operator-() const;
  friend Big operator+(const Big &x, const Big &y);
  friend Big operator-(const Big &x, const Big &y);
  friend Big operator*(const Big &x, const Big &y);
  friend Big operator/(const Big &x, const Big &y);
  Big power(long exponent) const;

  bool isNan() const;
  bool isInfinite() const;
  bool isZero() const;
  bool isInteger() const;
  bool isNegative() const; // by the sign bit
  int compare(double y) const;
  /// The exponent e of 2^e <= |x| < 2^(e + 1).
  long exponent() const;
  double toDouble() const;

  /// Distance of `got` from this number in units of the last place of `format`. Beyond the range infinity stands where
  /// the next power of two would. Infinite where one is NaN and the other not, or a zero or infinity is another.
  double ulps(double got, const FloatFormat &format) const;

private:
  mpfr_t value_;
};

} // namespace burn::bench

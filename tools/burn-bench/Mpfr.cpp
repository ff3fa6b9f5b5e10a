#include "tools/burn-bench/Mpfr.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <limits>
#include <stdexcept>

namespace burn::bench {

namespace {

constexpr mpfr_prec_t kBits = 300;

void *library = nullptr;

template <typename Function> Function *symbol(const char *name) {
  void *address = dlsym(library, name);
  if (!address)
    throw std::runtime_error("MPFR has no function " + std::string(name));
  return reinterpret_cast<Function *>(address);
}

// The functions of MPFR that Big uses; its header is seen by the compiler alone.
struct Api {
  decltype(::mpfr_init2) *init2 = symbol<decltype(::mpfr_init2)>("mpfr_init2");
  decltype(::mpfr_clear) *clear = symbol<decltype(::mpfr_clear)>("mpfr_clear");
  decltype(::mpfr_set_d) *setDouble = symbol<decltype(::mpfr_set_d)>("mpfr_set_d");
  decltype(::mpfr_get_d) *getDouble = symbol<decltype(::mpfr_get_d)>("mpfr_get_d");
  decltype(::mpfr_set4) *set4 = symbol<decltype(::mpfr_set4)>("mpfr_set4");
  decltype(::mpfr_neg) *negate = symbol<decltype(::mpfr_neg)>("mpfr_neg");
  decltype(::mpfr_add) *add = symbol<decltype(::mpfr_add)>("mpfr_add");
  decltype(::mpfr_sub) *subtract = symbol<decltype(::mpfr_sub)>("mpfr_sub");
  decltype(::mpfr_mul) *multiply = symbol<decltype(::mpfr_mul)>("mpfr_mul");
  decltype(::mpfr_div) *divide = symbol<decltype(::mpfr_div)>("mpfr_div");
  decltype(::mpfr_pow_si) *power = symbol<decltype(::mpfr_pow_si)>("mpfr_pow_si");
  decltype(::mpfr_const_pi) *pi = symbol<decltype(::mpfr_const_pi)>("mpfr_const_pi");
  decltype(::mpfr_lgamma) *logGamma = symbol<decltype(::mpfr_lgamma)>("mpfr_lgamma");
  decltype(::mpfr_nan_p) *isNan = symbol<decltype(::mpfr_nan_p)>("mpfr_nan_p");
  decltype(::mpfr_inf_p) *isInfinite = symbol<decltype(::mpfr_inf_p)>("mpfr_inf_p");
  decltype(::mpfr_zero_p) *isZero = symbol<decltype(::mpfr_zero_p)>("mpfr_zero_p");
  decltype(::mpfr_integer_p) *isInteger = symbol<decltype(::mpfr_integer_p)>("mpfr_integer_p");
  decltype(::mpfr_signbit) *signBit = symbol<decltype(::mpfr_signbit)>("mpfr_signbit");
  decltype(::mpfr_cmp_d) *compare = symbol<decltype(::mpfr_cmp_d)>("mpfr_cmp_d");
  decltype(::mpfr_get_exp) *exponent = symbol<decltype(::mpfr_get_exp)>("mpfr_get_exp");
  decltype(::mpfr_mul_2si) *scale = symbol<decltype(::mpfr_mul_2si)>("mpfr_mul_2si");
};

const Api &api() {
  static const Api functions;
  return functions;
}

} // namespace

bool Big::open(const std::string &name) {
  if (!library)
    library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library != nullptr;
}

Big::Function Big::unary(const char *name) {
  auto *function = symbol<std::remove_pointer_t<Unary>>(("mpfr_" + std::string(name)).c_str());
  return [function](const Big &x, const Big &) {
    Big result;
    function(result.value_, x.value_, MPFR_RNDN);
    return result;
  };
}

Big::Function Big::binary(const char *name) {
  auto *function = symbol<std::remove_pointer_t<Binary>>(("mpfr_" + std::string(name)).c_str());
  return [function](const Big &x, const Big &y) {
    Big result;
    function(result.value_, x.value_, y.value_, MPFR_RNDN);
    return result;
  };
}

Big::Big(double value) {
  api().init2(value_, kBits);
  api().setDouble(value_, value, MPFR_RNDN);
}

Big::Big(const Big &other) {
  api().init2(value_, kBits);
  *this = other;
}

Big &Big::operator=(const Big &other) {
  api().set4(value_, other.value_, MPFR_RNDN, other.isNegative() ? -1 : 1);
  return *this;
}

Big::~Big() { api().clear(value_); }

Big Big::pi() {
  Big result;
  api().pi(result.value_, MPFR_RNDN);
  return result;
}

Big Big::logGamma(const Big &x) {
  Big result;
  int sign;
  api().logGamma(result.value_, &sign, x.value_, MPFR_RNDN);
  return result;
}

Big Big::operator-() const {
  Big result;
  api().negate(result.value_, value_, MPFR_RNDN);
  return result;
}

Big operator+(const Big &x, const Big &y) {
  Big result;
  api().add(result.value_, x.value_, y.value_, MPFR_RNDN);
  return result;
}

Big operator-(const Big &x, const Big &y) {
  Big result;
  api().subtract(result.value_, x.value_, y.value_, MPFR_RNDN);
  return result;
}

Big operator*(const Big &x, const Big &y) {
  Big result;
  api().multiply(result.value_, x.value_, y.value_, MPFR_RNDN);
  return result;
}

Big operator/(const Big &x, const Big &y) {
  Big result;
  api().divide(result.value_, x.value_, y.value_, MPFR_RNDN);
  return result;
}

Big Big::power(long exponent) const {
  Big result;
  api().power(result.value_, value_, exponent, MPFR_RNDN);
  return result;
}

bool Big::isNan() const { return api().isNan(value_) != 0; }
bool Big::isInfinite() const { return api().isInfinite(value_) != 0; }
bool Big::isZero() const { return api().isZero(value_) != 0; }
bool Big::isInteger() const { return api().isInteger(value_) != 0; }
bool Big::isNegative() const { return (api().signBit)(value_) != 0; }
int Big::compare(double y) const { return api().compare(value_, y); }
long Big::exponent() const { return (api().exponent)(value_)-1; }
double Big::toDouble() const { return api().getDouble(value_, MPFR_RNDN); }

double Big::ulps(double got, const FloatFormat &format) const {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (isNan() || std::isnan(got))
    return isNan() && std::isnan(got) ? 0 : wrong;
  if (isZero() || isInfinite())
    return got == toDouble() && std::signbit(got) == isNegative() ? 0 : wrong;
  if (std::signbit(got) != isNegative())
    return got == 0 || std::isinf(got) ? wrong
                                       : std::fabs((Big(got) - *this).toDouble()) / std::ldexp(1.0, format.least);
  const long place = std::min<long>(std::max<long>(exponent(), format.least), format.greatest - 1) - format.digits + 1;
  if (exponent() >= format.greatest && std::isinf(got))
    return 0;
  Big limit(1);
  api().scale(limit.value_, limit.value_, format.greatest, MPFR_RNDN);
  if (isNegative())
    limit = -limit;
  Big error = (std::isinf(got) ? limit : Big(got)) - (exponent() >= format.greatest ? limit : *this);
  api().scale(error.value_, error.value_, -place, MPFR_RNDN);
  return std::fabs(error.toDouble());
}

} // namespace burn::bench

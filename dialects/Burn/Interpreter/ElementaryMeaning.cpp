// Elementary and special functions of each element, computed in long double and rounded to double, so that a figure
// is right to about half a unit in the last place of f64.
#include "dialects/Burn/Interpreter/ElementwiseEvaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"
#include "dialects/Burn/Interpreter/SpecialFunctions.h"

#include <numbers>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

using Long = long double;

// `value` with the derivative `slope` along the imaginary part, which is infinitesimal.
Complex along(Long value, Long slope, Complex x) {
  return {static_cast<double>(value), static_cast<double>(slope) * x.imag()};
}

// A function of one number, by its values on the real axis and in the complex plane.
template <auto onReal, auto onComplex> struct Analytic {
  static double of(double x) { return static_cast<double>(onReal(static_cast<Long>(x))); }
  static Complex of(Complex x) { return onComplex(x); }
};

// A function of one number, by its values and its derivative.
template <auto function, auto derivative> struct Smooth {
  static double of(double x) { return static_cast<double>(function(static_cast<Long>(x))); }
  static Complex of(Complex x) { return along(function(x.real()), derivative(static_cast<Long>(x.real())), x); }
};

using Sin = Analytic<[](Long x) { return std::sin(x); }, [](Complex x) { return std::sin(x); }>;
using Cos = Analytic<[](Long x) { return std::cos(x); }, [](Complex x) { return std::cos(x); }>;
using Tan = Analytic<[](Long x) { return std::tan(x); }, [](Complex x) { return std::tan(x); }>;
using Asin = Analytic<[](Long x) { return std::asin(x); }, [](Complex x) { return std::asin(x); }>;
using Acos = Analytic<[](Long x) { return std::acos(x); }, [](Complex x) { return std::acos(x); }>;
using Atan = Analytic<[](Long x) { return std::atan(x); }, [](Complex x) { return std::atan(x); }>;
using Sinh = Analytic<[](Long x) { return std::sinh(x); }, [](Complex x) { return std::sinh(x); }>;
using Cosh = Analytic<[](Long x) { return std::cosh(x); }, [](Complex x) { return std::cosh(x); }>;
using Asinh = Analytic<[](Long x) { return std::asinh(x); }, [](Complex x) { return std::asinh(x); }>;
using Acosh = Analytic<[](Long x) { return std::acosh(x); }, [](Complex x) { return std::acosh(x); }>;
using Atanh = Analytic<[](Long x) { return std::atanh(x); }, [](Complex x) { return std::atanh(x); }>;
using Exp2 = Analytic<[](Long x) { return std::exp2(x); }, [](Complex x) { return std::exp(x * std::numbers::ln2); }>;
using Log2 = Analytic<[](Long x) { return std::log2(x); }, [](Complex x) { return std::log(x) / std::numbers::ln2; }>;
using Log10 = Analytic<[](Long x) { return std::log10(x); }, [](Complex x) { return std::log10(x); }>;
using Cbrt = Smooth<[](Long x) { return std::cbrt(x); }, [](Long x) { return 1 / (3 * std::pow(std::cbrt(x), 2)); }>;
using Erfc = Smooth<[](Long x) { return std::erfc(x); },
                    [](Long x) { return -2 * std::numbers::inv_sqrtpi_v<Long> * std::exp(-x * x); }>;
using Erfinv = Smooth<inverseErf, [](Long y) {
  const Long x = inverseErf(y);
  return std::exp(x * x) / (2 * std::numbers::inv_sqrtpi_v<Long>);
}>;
using Lgamma = Smooth<logGamma, meaning::digamma>;
using Digamma = Smooth<meaning::digamma, [](Long x) { return polygamma(1, x); }>;

struct Atan2 {
  static double of(double y, double x) { return static_cast<double>(std::atan2(Long(y), Long(x))); }
  static Complex of(Complex y, Complex x) {
    const double square = std::norm(Complex(x.real(), y.real()));
    // No direction at the origin: the derivative there is 0.
    const double turn = square == 0 ? 0 : (x.real() * y.imag() - y.real() * x.imag()) / square;
    return {of(y.real(), x.real()), turn};
  }
};

struct Hypot {
  static double of(double a, double b) { return static_cast<double>(std::hypot(Long(a), Long(b))); }
  static Complex of(Complex a, Complex b) {
    const double length = of(a.real(), b.real());
    return {length, length == 0 ? 0 : (a.real() * a.imag() + b.real() * b.imag()) / length};
  }
};

Status polygammaOf(Evaluation &e, const core::PolygammaAttrs &attrs) {
  visitCompute(e.operand(0), [&]<typename C>(C) {
    if constexpr (Float<C>) {
      Elements<C> x = load<C>(e.operand(0));
      for (C &element : x) {
        const Long value = polygamma(attrs.n, real(element));
        if constexpr (std::is_same_v<C, Complex>)
          element = along(value, polygamma(attrs.n + 1, real(element)), element);
        else
          element = static_cast<double>(value);
      }
      store(e.result(), x);
    }
  });
  return Status::ok();
}

// x^exponent; long double holds every exponent.
Long power(double x, int64_t exponent) { return std::pow(Long(x), Long(exponent)); }

// An integer power wraps to its type before it is inverted.
template <typename T> T integerPower(T x, int64_t exponent) {
  using C = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  const uint64_t factors = exponent < 0 ? 0 - static_cast<uint64_t>(exponent) : static_cast<uint64_t>(exponent);
  // Pow takes a signed count; beyond 2^62 powers of integers repeat.
  const uint64_t count = factors >> 63 ? uint64_t(1) << 62 : factors;
  const T result = static_cast<T>(Pow::of(static_cast<C>(x), static_cast<C>(count)));
  return exponent < 0 ? static_cast<T>(Div::of(C(1), static_cast<C>(result))) : result;
}

Status powi(Evaluation &e, const core::PowiAttrs &attrs) {
  const HostTensor &x = e.operand(0);
  const int64_t n = attrs.exponent;
  if (x.isComplex) {
    Elements<Complex> values = load<Complex>(x);
    for (Complex &value : values)
      value = along(power(value.real(), n), n == 0 ? 0 : Long(n) * power(value.real(), n - 1), value);
    store(e.result(), values);
    return Status::ok();
  }
  if (isFloat(x.type.dtype)) {
    Elements<double> values = load<double>(x);
    for (double &value : values)
      value = static_cast<double>(power(value, n));
    store(e.result(), values);
    return Status::ok();
  }
  visitDType(x.type.dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for (int64_t i = 0; i < x.numel(); ++i)
        e.result().data<T>()[i] = integerPower(x.data<T>()[i], n);
  });
  return Status::ok();
}

} // namespace

Function meaning::findElementary(OpCode op) {
  switch (op) {
  case OpCode::Sin:
    return unary<Sin>;
  case OpCode::Cos:
    return unary<Cos>;
  case OpCode::Tan:
    return unary<Tan>;
  case OpCode::Asin:
    return unary<Asin>;
  case OpCode::Acos:
    return unary<Acos>;
  case OpCode::Atan:
    return unary<Atan>;
  case OpCode::Sinh:
    return unary<Sinh>;
  case OpCode::Cosh:
    return unary<Cosh>;
  case OpCode::Asinh:
    return unary<Asinh>;
  case OpCode::Acosh:
    return unary<Acosh>;
  case OpCode::Atanh:
    return unary<Atanh>;
  case OpCode::Exp2:
    return unary<Exp2>;
  case OpCode::Log2:
    return unary<Log2>;
  case OpCode::Log10:
    return unary<Log10>;
  case OpCode::Cbrt:
    return unary<Cbrt>;
  case OpCode::Erfc:
    return unary<Erfc>;
  case OpCode::Erfinv:
    return unary<Erfinv>;
  case OpCode::Lgamma:
    return unary<Lgamma>;
  case OpCode::Digamma:
    return unary<Digamma>;
  case OpCode::Polygamma:
    return Decoding<polygammaOf>::call;
  case OpCode::Powi:
    return Decoding<powi>::call;
  case OpCode::Atan2:
    return binary<Atan2>;
  case OpCode::Hypot:
    return binary<Hypot>;
  default:
    return nullptr;
  }
}

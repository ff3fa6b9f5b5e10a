#include "test/unit/compiler/PayloadKernels.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

using namespace burn::compiler::test;
using namespace burn::ir;
using mlir::Value;

namespace {

template <typename T> struct Format;
template <> struct Format<float> {
  using Bits = uint32_t;
  using Reference = double; // 29 more bits
  static constexpr int digits = 24, least = -126, greatest = 128;
};
template <> struct Format<double> {
  using Bits = uint64_t;
  using Reference = long double; // 11 more bits
  static constexpr int digits = 53, least = -1022, greatest = 1024;
};

/// Distance of `got` from the reference in units of the last place of T.
template <typename T> double ulpError(T got, typename Format<T>::Reference want) {
  using F = Format<T>;
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  typename F::Reference limit = std::ldexp(typename F::Reference(1), F::greatest);
  if (want == 0 || std::isinf(want))
    return got == T(want) && std::signbit(got) == std::signbit(want) ? 0 : INFINITY;
  // Infinity stands where the next number above the greatest would.
  typename F::Reference value = std::isinf(got) ? std::copysign(limit, got) : got;
  want = std::fmax(std::fmin(want, limit), -limit);
  if (value == 0 && std::signbit(got) != std::signbit(want))
    return INFINITY;
  int exponent = std::min(std::max(std::ilogb(want), F::least), F::greatest - 1);
  return double(std::fabs(value - want) / std::ldexp(typename F::Reference(1), exponent - F::digits + 1));
}

/// Arguments over all bit patterns, then over [-32, 32], then around 0 and 1.
template <typename T> std::vector<T> arguments(size_t count) {
  using Bits = typename Format<T>::Bits;
  std::mt19937_64 random(7);
  std::vector<T> values(count);
  const Bits stride = Bits(std::numeric_limits<Bits>::max() / (count / 2)) | 1;
  for (size_t i = 0; i != count; ++i) {
    double unit = double(random() >> 11) * 0x1p-53;
    if (i < count / 2)
      values[i] = std::bit_cast<T>(Bits(Bits(i) * stride + Bits(random() % 1000)));
    else if (i < count * 3 / 4)
      values[i] = T(64 * unit - 32);
    else if (i < count * 7 / 8)
      values[i] = T(4 * unit - 2);
    else
      values[i] = T(1 + (unit - 0.5) * std::ldexp(1.0, -int(random() % 30)));
  }
  const T inf = std::numeric_limits<T>::infinity();
  T special[] = {0,
                 -T(0),
                 inf,
                 -inf,
                 T(NAN),
                 1,
                 -1,
                 T(0.5),
                 2,
                 std::numeric_limits<T>::min(),
                 std::numeric_limits<T>::denorm_min(),
                 -std::numeric_limits<T>::denorm_min(),
                 std::numeric_limits<T>::max(),
                 std::numeric_limits<T>::lowest()};
  std::copy(std::begin(special), std::end(special), values.begin());
  return values;
}

template <typename T> using Function1 = typename Format<T>::Reference (*)(typename Format<T>::Reference);
using Unary = Value (ScalarOps::*)(Value);

template <typename T> struct UnaryCase {
  const char *name;
  Unary payload;
  Function1<T> reference;
  double bound;
};

template <typename R> R rsqrtReference(R x) { return 1 / std::sqrt(x); }
template <typename R> R logisticReference(R x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

template <typename T> std::vector<UnaryCase<T>> unaryCases() {
  using R = typename Format<T>::Reference;
  return {
      {"exp", &ScalarOps::exp, [](R x) { return std::exp(x); }, 1},
      {"expm1", &ScalarOps::expm1, [](R x) { return std::expm1(x); }, 2},
      {"log", &ScalarOps::log, [](R x) { return std::log(x); }, 1},
      {"log1p", &ScalarOps::log1p, [](R x) { return std::log1p(x); }, 2},
      {"sqrt", &ScalarOps::sqrt, [](R x) { return std::sqrt(x); }, 0.5001},
      {"rsqrt", &ScalarOps::rsqrt, rsqrtReference<R>, 1},
      {"tanh", &ScalarOps::tanh, [](R x) { return std::tanh(x); }, 2},
      {"erf", &ScalarOps::erf, [](R x) { return std::erf(x); }, 2},
      {"erfc", &ScalarOps::erfc, [](R x) { return std::erfc(x); }, 2},
      {"sin", &ScalarOps::sin, [](R x) { return std::sin(x); }, 1},
      {"cos", &ScalarOps::cos, [](R x) { return std::cos(x); }, 1},
      {"tan", &ScalarOps::tan, [](R x) { return std::tan(x); }, 1},
      {"exp2", &ScalarOps::exp2, [](R x) { return std::exp2(x); }, 2},
      {"log2", &ScalarOps::log2, [](R x) { return std::log2(x); }, 2},
      {"log10", &ScalarOps::log10, [](R x) { return std::log10(x); }, 2},
      {"cbrt", &ScalarOps::cbrt, [](R x) { return std::cbrt(x); }, 1},
      {"asin", &ScalarOps::asin, [](R x) { return std::asin(x); }, 2},
      {"acos", &ScalarOps::acos, [](R x) { return std::acos(x); }, 2},
      {"atan", &ScalarOps::atan, [](R x) { return std::atan(x); }, 2},
      {"sinh", &ScalarOps::sinh, [](R x) { return std::sinh(x); }, 2},
      {"cosh", &ScalarOps::cosh, [](R x) { return std::cosh(x); }, 2},
      {"asinh", &ScalarOps::asinh, [](R x) { return std::asinh(x); }, 2},
      {"acosh", &ScalarOps::acosh, [](R x) { return std::acosh(x); }, 2},
      {"atanh", &ScalarOps::atanh, [](R x) { return std::atanh(x); }, 2},
      {"logistic", &ScalarOps::logistic, logisticReference<R>, 2},
  };
}

std::vector<burn::compiler::CpuTarget> targets() {
  if (hostHasAvx512())
    return {avx512Target(), avx2Target()};
  return {avx2Target()};
}

template <typename T> bool sameBits(const std::vector<T> &x, const std::vector<T> &y) {
  for (size_t i = 0; i != x.size(); ++i)
    if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0 && !(x[i] != x[i] && y[i] != y[i]))
      return false;
  return true;
}

template <typename T> void checkUnary(size_t count) {
  const ScalarKind kind = floatKind(8 * sizeof(T));
  const std::vector<T> input = arguments<T>(count);
  std::map<std::string, std::vector<T>> first;
  for (const burn::compiler::CpuTarget &target : targets()) {
    PayloadKernels kernels;
    for (const UnaryCase<T> &test : unaryCases<T>())
      for (int64_t lanes : {1, 4, 16})
        kernels.add(test.name + std::to_string(lanes), {kind}, kind, lanes, [&](auto &b, auto loc, auto x) {
          ScalarOps ops(b, loc, kind);
          return (ops.*test.payload)(x[0]);
        });
    REQUIRE(kernels.compile(target) == "");
    for (const UnaryCase<T> &test : unaryCases<T>()) {
      INFO(test.name << " for " << target.cpu);
      std::vector<T> output(count), scalar(count);
      kernels.run(test.name + std::string("16"), count, input.data(), output.data());
      // Lane counts and instruction sets agree bit for bit.
      for (const char *lanes : {"1", "4"}) {
        kernels.run(test.name + std::string(lanes), count, input.data(), scalar.data());
        CHECK(sameBits(output, scalar));
      }
      if (first.count(test.name)) {
        CHECK(sameBits(output, first[test.name]));
        continue;
      }
      first[test.name] = output;
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i != count; ++i) {
        double error = ulpError<T>(output[i], test.reference(input[i]));
        if (error > worst)
          worst = error, at = i;
      }
      std::printf("%-10s f%d  max error %.3f ulp at %a\n", test.name, int(8 * sizeof(T)), worst, double(input[at]));
      INFO("at " << input[at] << ": got " << output[at]);
      CHECK(worst <= test.bound);
    }
  }
}

template <typename T> void checkPow(size_t count) {
  const ScalarKind kind = floatKind(8 * sizeof(T));
  std::vector<T> base = arguments<T>(count), exponent(count);
  std::mt19937_64 random(11);
  for (size_t i = 0; i != count; ++i) {
    double unit = double(random() >> 11) * 0x1p-52 - 1;
    switch (i % 4) {
    case 0:
      exponent[i] = T(unit * 4);
      break;
    case 1:
      exponent[i] = T(std::round(unit * 40));
      break;
    case 2: { // results over the whole range, subnormal to overflow
      double log2 = std::log2(std::fabs(double(base[i])));
      exponent[i] = T(unit * 1.05 * Format<T>::greatest / log2);
      break;
    }
    default:
      exponent[i] = std::bit_cast<T>(typename Format<T>::Bits(random()));
      break;
    }
  }
  // All pairs of special values.
  const T inf = std::numeric_limits<T>::infinity();
  const T special[] = {0,
                       -T(0),
                       1,
                       -1,
                       2,
                       -2,
                       3,
                       -3,
                       T(0.5),
                       -T(0.5),
                       inf,
                       -inf,
                       T(NAN),
                       T(1e30),
                       T(-1e30),
                       std::numeric_limits<T>::denorm_min(),
                       -std::numeric_limits<T>::denorm_min()};
  size_t at = 0;
  for (T x : special)
    for (T y : special)
      base[at] = x, exponent[at++] = y;

  std::vector<T> first;
  for (const burn::compiler::CpuTarget &target : targets()) {
    PayloadKernels kernels;
    for (int64_t lanes : {1, 16})
      kernels.add("pow" + std::to_string(lanes), {kind, kind}, kind, lanes,
                  [&](auto &b, auto loc, auto x) { return ScalarOps(b, loc, kind).pow(x[0], x[1]); });
    REQUIRE(kernels.compile(target) == "");
    std::vector<T> output(count), scalar(count);
    kernels.run("pow16", count, base.data(), exponent.data(), output.data());
    kernels.run("pow1", count, base.data(), exponent.data(), scalar.data());
    CHECK(sameBits(output, scalar));
    if (!first.empty()) {
      CHECK(sameBits(output, first));
      continue;
    }
    first = output;
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i != count; ++i) {
      using R = typename Format<T>::Reference;
      double error = ulpError<T>(output[i], std::pow(R(base[i]), R(exponent[i])));
      if (error > worst)
        worst = error, where = i;
    }
    std::printf("%-10s f%d  max error %.3f ulp at %a, %a\n", "pow", int(8 * sizeof(T)), worst, double(base[where]),
                double(exponent[where]));
    INFO("pow(" << base[where] << ", " << exponent[where] << ") gave " << output[where]);
    CHECK(worst <= 2);
  }
}

} // namespace

TEST_CASE("f32 functions keep their error bounds for every lane count and target") { checkUnary<float>(1 << 22); }

TEST_CASE("f64 functions keep their error bounds for every lane count and target") { checkUnary<double>(1 << 20); }

TEST_CASE("pow keeps its error bound and the special values of C") {
  checkPow<float>(1 << 20);
  checkPow<double>(1 << 19);
}

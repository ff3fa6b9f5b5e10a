// Time of an element of each function, beside the vector libraries of the machine.
#include "tools/burn-bench/Bench.h"

#include <burn/program.h>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <fmt/format.h>

namespace burn::bench {

namespace {

// Few enough elements for the second level of the cache.
constexpr int64_t kCount = 16384;

struct Case {
  const char *op;
  const char *peer; // name in the vector libraries
  double low, high; // arguments that it is called with
};

constexpr Case kCases[] = {{"exp", "exp", -20, 20},      {"exp2", "exp2", -20, 20},       {"expm1", "expm1", -5, 5},
                           {"log", "log", 0.01, 100},    {"log2", "log2", 0.01, 100},     {"log10", "log10", 0.01, 100},
                           {"log1p", "log1p", -0.9, 10}, {"cbrt", "cbrt", -100, 100},     {"sin", "sin", -10, 10},
                           {"cos", "cos", -10, 10},      {"tan", "tan", -10, 10},         {"asin", "asin", -1, 1},
                           {"acos", "acos", -1, 1},      {"atan", "atan", -10, 10},       {"sinh", "sinh", -5, 5},
                           {"cosh", "cosh", -5, 5},      {"tanh", "tanh", -5, 5},         {"asinh", "asinh", -10, 10},
                           {"acosh", "acosh", 1, 10},    {"atanh", "atanh", -0.99, 0.99}, {"erf", "erf", -3, 3},
                           {"erfc", "erfc", -3, 3},      {"gelu none", "", -5, 5},        {"gelu tanh", "", -5, 5},
                           {"logistic", "", -10, 10},    {"erfinv", "", -1, 1},           {"lgamma", "lgamma", 0.1, 20},
                           {"digamma", "", 0.1, 20}};

#ifdef __x86_64__

/// Which instructions the peers may use: those that the compiled code has.
bool withAvx512() {
  const char *cpu = std::getenv("BURN_CPU");
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         (!cpu || std::strcmp(cpu, "x86-64-v3") != 0);
}

__attribute__((target("avx512f"))) void sweep512(void *function, const float *x, float *y) {
  auto *f = reinterpret_cast<__m512 (*)(__m512)>(function);
  for (int64_t i = 0; i < kCount; i += 16)
    _mm512_storeu_ps(y + i, f(_mm512_loadu_ps(x + i)));
}

__attribute__((target("avx512f"))) void sweep512(void *function, const double *x, double *y) {
  auto *f = reinterpret_cast<__m512d (*)(__m512d)>(function);
  for (int64_t i = 0; i < kCount; i += 8)
    _mm512_storeu_pd(y + i, f(_mm512_loadu_pd(x + i)));
}

__attribute__((target("avx2"))) void sweep256(void *function, const float *x, float *y) {
  auto *f = reinterpret_cast<__m256 (*)(__m256)>(function);
  for (int64_t i = 0; i < kCount; i += 8)
    _mm256_storeu_ps(y + i, f(_mm256_loadu_ps(x + i)));
}

__attribute__((target("avx2"))) void sweep256(void *function, const double *x, double *y) {
  auto *f = reinterpret_cast<__m256d (*)(__m256d)>(function);
  for (int64_t i = 0; i < kCount; i += 4)
    _mm256_storeu_pd(y + i, f(_mm256_loadu_pd(x + i)));
}

#endif

// The best of several rounds, in nanoseconds an element.
template <typename Fn> double nanoseconds(bool quick, const Fn &fn) {
  double best = 1e9;
  const int rounds = quick ? 5 : 30;
  for (int round = 0; round < rounds; ++round)
    best = std::min(best, timeOf([&] {
                      for (int i = 0; i < 8; ++i)
                        fn();
                    }));
  return best * 1e9 / double(8 * kCount);
}

template <typename T> Json measure(const Case &test, const Options &options, void *libmvec, void *sleef) {
  constexpr bool narrow = sizeof(T) == 4;
  const std::string tensor = fmt::format("tensor<{}x{}>", kCount, narrow ? "f32" : "f64");
  const Program program = compileText(fmt::format(
      "func.func @main(%x: {0}) -> {0} {{\n  %r = burn.{1} %x : {0}\n  return %r : {0}\n}}\n", tensor, test.op));
  const std::shared_ptr<void> arena = makeArena(program);
  std::unique_ptr<T[], void (*)(void *)> x(static_cast<T *>(std::aligned_alloc(4096, kCount * sizeof(T))), std::free),
      y(static_cast<T *>(std::aligned_alloc(4096, kCount * sizeof(T))), std::free);
  uint32_t state = 1;
  for (int64_t i = 0; i < kCount; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = T(test.low + (test.high - test.low) * (double(state >> 8) + 0.5) * 0x1p-24);
  }
  Json line;
  void *const buffers[] = {x.get(), y.get()};
  line["burn"] = nanoseconds(options.quick, [&] { program.call(buffers, nullptr, arena.get(), /*serial=*/true); });
#ifdef __x86_64__
  const bool wide = withAvx512();
  const int lanes = (wide ? 64 : 32) / int(sizeof(T));
  auto peer = [&](const char *key, void *library, const std::string &name) {
    void *function = library && *test.peer ? dlsym(library, name.c_str()) : nullptr;
    if (!function)
      return;
    line[key] = nanoseconds(options.quick, [&] {
      if (wide)
        sweep512(function, x.get(), y.get());
      else
        sweep256(function, x.get(), y.get());
    });
  };
  const char *suffix = narrow ? "f" : "";
  peer("libmvec", libmvec, fmt::format("_ZGV{}N{}v_{}{}", wide ? "e" : "d", lanes, test.peer, suffix));
  // The names of SLEEF carry the error in tenths of an ulp; those that are as accurate as the code here.
  const bool few = !std::strcmp(test.peer, "erfc");
  peer("sleef", sleef,
       fmt::format("Sleef_{}{}{}_u{}{}", test.peer, narrow ? "f" : "d", lanes, few ? "15" : "10",
                   wide ? "avx512f" : "avx2"));
#endif
  return line;
}

} // namespace

Json benchMath(const Options &options) {
  void *libmvec = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  void *sleef = dlopen(options.sleef.c_str(), RTLD_NOW | RTLD_LOCAL);
  const Pinned pinned;
  fmt::print("math: ns an element on one processor, libmvec (up to 4 ulp), SLEEF{} (1 ulp)\n",
             sleef ? "" : " (not found)");
  Json report;
  for (const Case &test : kCases) {
    Json f32 = measure<float>(test, options, libmvec, sleef), f64 = measure<double>(test, options, libmvec, sleef);
    auto text = [](const Json &line, const char *key) {
      return line.contains(key) ? fmt::format("{:7.2f}", line[key].get<double>()) : std::string(7, ' ');
    };
    fmt::print("{:10} f32 {} {} {}   f64 {} {} {}\n", test.op, text(f32, "burn"), text(f32, "libmvec"),
               text(f32, "sleef"), text(f64, "burn"), text(f64, "libmvec"), text(f64, "sleef"));
    std::fflush(stdout);
    report[test.op] = {{"f32", f32}, {"f64", f64}};
  }
  return report;
}

} // namespace burn::bench

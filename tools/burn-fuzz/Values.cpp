#include "tools/burn-fuzz/Values.h"

#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::fuzz;
using ir::HostTensor;

namespace {

template <typename T> std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    std::vector<T> values{0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 100};
    for (T value : {Limits::max(), static_cast<T>(Limits::max() - 1), static_cast<T>(Limits::max() / 2 + 1)})
      values.push_back(value);
    if (std::is_signed_v<T>)
      for (T value : {Limits::min(), static_cast<T>(Limits::min() + 1), static_cast<T>(-1), static_cast<T>(-2),
                      static_cast<T>(-7)})
        values.push_back(value);
    return values;
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    std::vector<T> values;
    for (int bits : {0x0000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0x3f80, 0x3555, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7f7f,
                     0x7f80, 0x7fc0, 0x7fff, 0x4248, 0x5640})
      for (int sign : {0, 0x8000})
        values.push_back(T::fromBits(static_cast<uint16_t>(bits | sign)));
    return values;
  } else {
    const T huge = Limits::max(), least = Limits::denorm_min(), normal = Limits::min(), e = Limits::epsilon();
    const T magnitudes[] = {0,
                            least,
                            normal / 2,
                            normal,
                            normal * 3,
                            T(1e-6),
                            T(0.3),
                            T(0.5),
                            1 - e / 2,
                            1,
                            1 + e,
                            T(1.5),
                            2,
                            T(2.5),
                            3,
                            T(20.5),
                            T(88.7228394),
                            T(89),
                            T(104),
                            T(710),
                            T(8388607.5),
                            T(2147483648.0),
                            T(9223372036854775808.0),
                            T(1e18),
                            huge / 2,
                            huge,
                            Limits::infinity(),
                            Limits::quiet_NaN()};
    std::vector<T> values;
    for (T magnitude : magnitudes)
      for (T sign : {T(1), T(-1)})
        values.push_back(std::copysign(magnitude, sign));
    return values;
  }
}

template <typename T> T tame(Random &random, bool positive) {
  if constexpr (std::is_same_v<T, bool>) {
    return chance(random, 0.5);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(pick(random, positive ? 1 : std::is_signed_v<T> ? -9 : 0, 9));
  } else {
    const double value = std::uniform_real_distribution<double>(positive ? 0.1 : -2, 2)(random);
    if constexpr (sizeof(T) == 2)
      return T(value);
    else
      return static_cast<T>(value);
  }
}

template <typename T> T anyBits(Random &random) {
  if constexpr (std::is_same_v<T, bool>) {
    return chance(random, 0.5);
  } else {
    const uint64_t bits = random();
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
}

} // namespace

std::vector<HostTensor> fuzz::specialScalars(DType dtype) {
  std::vector<HostTensor> scalars;
  visitDType(dtype, [&]<typename T>(T) {
    for (T value : specials<T>()) {
      scalars.emplace_back(core::TypeDesc{dtype, Shape{}});
      scalars.back().template data<T>()[0] = value;
    }
  });
  return scalars;
}

HostTensor fuzz::randomTensor(const core::TypeDesc &type, Fill fill, Random &random) {
  HostTensor result(type);
  visitDType(type.dtype, [&]<typename T>(T) {
    const std::vector<T> special = specials<T>();
    const auto aSpecial = [&] { return special[pick(random, 0, static_cast<int64_t>(special.size()) - 1)]; };
    std::vector<T> simple{static_cast<T>(0), static_cast<T>(1)};
    if constexpr (!std::is_integral_v<T>)
      simple.push_back(static_cast<T>(-0.0));
    std::vector<T> few;
    for (int i = 0; i < 3; ++i)
      few.push_back(tame<T>(random, false));
    for (T &element : result.data<T>()) {
      const int64_t third = fill == Fill::Wild ? pick(random, 0, 2) : 0;
      if (third == 1 || (fill == Fill::Spoilt && chance(random, 0.01)))
        element = aSpecial();
      else if (fill == Fill::Zeros && chance(random, 0.1))
        element = simple[pick(random, 0, static_cast<int64_t>(simple.size()) - 1)];
      else if (fill == Fill::Ties)
        element = few[pick(random, 0, 2)];
      else if (third == 2)
        element = anyBits<T>(random);
      else
        element = tame<T>(random, fill == Fill::Positive);
    }
  });
  return result;
}

HostTensor fuzz::randomIntegers(const core::TypeDesc &type, int64_t low, int64_t high, Random &random) {
  HostTensor result(type);
  visitDType(type.dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>)
      for (T &element : result.data<T>())
        element = static_cast<T>(pick(random, low, high));
  });
  return result;
}

std::vector<HostTensor> fuzz::specialTuples(DType dtype, unsigned count) {
  const std::vector<HostTensor> scalars = specialScalars(dtype);
  const auto size = static_cast<int64_t>(scalars.size());
  int64_t total = 1;
  for (unsigned k = 0; k < count; ++k)
    total *= size;
  std::vector<HostTensor> result;
  int64_t period = 1;
  for (unsigned k = 0; k < count; ++k, period *= size) {
    HostTensor &tensor = result.emplace_back(core::TypeDesc{dtype, Shape{total}});
    const size_t width = tensor.elementSize();
    for (int64_t i = 0; i < total; ++i)
      std::memcpy(tensor.bytes.data() + i * width, scalars[i / period % size].bytes.data(), width);
  }
  return result;
}

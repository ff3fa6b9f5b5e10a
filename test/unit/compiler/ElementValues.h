#ifndef BURN_TEST_UNIT_COMPILER_ELEMENTVALUES_H
#define BURN_TEST_UNIT_COMPILER_ELEMENTVALUES_H

#include "dialects/Burn/ScalarPayloads.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace burn::compiler::test {

/// Significand digits (with the leading one), least normal exponent and greatest
/// exponent of a float kind.
struct FloatLimits {
  int digits, least, greatest;
};

inline FloatLimits limitsOf(ir::ScalarKind kind) {
  if (kind.width == 64)
    return {53, -1022, 1023};
  if (kind.width == 32)
    return {24, -126, 127};
  return kind.isBF16 ? FloatLimits{8, -126, 127} : FloatLimits{11, -14, 15};
}

/// The value of an element; long double holds every kind exactly.
inline long double decode(ir::ScalarKind kind, uint64_t bits) {
  if (kind.isBool())
    return bits & 1;
  if (kind.isUnsigned())
    return bits;
  if (kind.isSigned())
    return int64_t(bits << (64 - kind.width)) >> (64 - kind.width);
  FloatLimits limits = limitsOf(kind);
  int stored = limits.digits - 1;
  uint64_t significand = bits & ((uint64_t(1) << stored) - 1);
  int field = int(bits >> stored) & (2 * limits.greatest + 1);
  long double sign = bits >> (kind.width - 1) & 1 ? -1 : 1;
  if (field == 2 * limits.greatest + 1)
    return significand ? NAN : sign * INFINITY;
  if (field == 0)
    return sign * std::ldexp((long double)significand, limits.least - stored);
  return sign * std::ldexp((long double)(significand | uint64_t(1) << stored), field - limits.greatest - stored);
}

/// The element nearest to a value (ties to even); integers truncate and saturate.
inline uint64_t encode(ir::ScalarKind kind, long double value) {
  uint64_t mask = kind.width == 64 ? ~uint64_t(0) : (uint64_t(1) << kind.width) - 1;
  if (kind.isBool())
    return value != 0;
  if (!kind.isFloat()) {
    if (std::isnan(value))
      return 0;
    int bits = kind.isSigned() ? kind.width - 1 : kind.width;
    long double above = std::ldexp(1.0L, bits), least = kind.isSigned() ? -above : 0;
    value = std::trunc(value);
    if (value >= above)
      return kind.isSigned() ? mask >> 1 : mask;
    if (value < least)
      value = least;
    return (value < 0 ? uint64_t(int64_t(value)) : uint64_t(value)) & mask;
  }
  FloatLimits limits = limitsOf(kind);
  int stored = limits.digits - 1;
  uint64_t infinity = uint64_t(2 * limits.greatest + 1) << stored;
  if (std::isnan(value))
    return infinity | uint64_t(1) << (stored - 1);
  uint64_t sign = std::signbit(value) ? uint64_t(1) << (kind.width - 1) : 0;
  value = std::fabs(value);
  if (value == 0)
    return sign;
  if (std::isinf(value))
    return sign | infinity;
  int exponent = std::max(std::ilogb(value), limits.least);
  // nearbyint rounds to even in the default mode; carries run into the exponent.
  uint64_t scaled = uint64_t(std::nearbyint(std::ldexp(value, stored - exponent)));
  uint64_t bits = (uint64_t(exponent - limits.least) << stored) + scaled;
  return sign | std::min(bits, infinity);
}

inline bool isNaN(ir::ScalarKind kind, uint64_t bits) { return kind.isFloat() && std::isnan(decode(kind, bits)); }

/// Elements as they lie in memory.
inline std::vector<char> pack(ir::ScalarKind kind, const std::vector<uint64_t> &bits) {
  size_t bytes = kind.isBool() ? 1 : kind.width / 8;
  std::vector<char> memory(bits.size() * bytes);
  for (size_t i = 0; i != bits.size(); ++i)
    std::memcpy(&memory[i * bytes], &bits[i], bytes);
  return memory;
}

inline std::vector<uint64_t> unpack(ir::ScalarKind kind, const std::vector<char> &memory) {
  size_t bytes = kind.isBool() ? 1 : kind.width / 8;
  std::vector<uint64_t> bits(memory.size() / bytes);
  for (size_t i = 0; i != bits.size(); ++i)
    std::memcpy(&bits[i], &memory[i * bytes], bytes);
  return bits;
}

} // namespace burn::compiler::test

#endif // BURN_TEST_UNIT_COMPILER_ELEMENTVALUES_H

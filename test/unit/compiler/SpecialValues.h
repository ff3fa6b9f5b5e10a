// Values at the edges of f32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace burn::test {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

/// Whether the bits are equal; any NaN equals any other.
inline bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

} // namespace burn::test

// Elements that tests compute with.
#pragma once

#include "dialects/Burn/Interpreter/HostTensor.h"

#include <random>

namespace burn::fuzz {

using Random = std::mt19937_64;

/// A number in [low, high].
inline int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}
inline bool chance(Random &random, double probability) { return std::bernoulli_distribution(probability)(random); }

/// Values at which code is most likely to be wrong: zeros, infinities, NaN, subnormals, bounds of ranges.
std::vector<ir::HostTensor> specialScalars(DType dtype);

enum class Fill {
  Tame,     // floats within [-2, 2], integers within [-9, 9]
  Positive, // floats within [0.1, 2], integers within [1, 9]
  Wild,     // a third each of special values, of any bits, and of tame values
  Spoilt,   // tame but for a special value here and there
  Zeros,    // tame but for a zero of either sign, or a one, here and there
  Ties,     // few different values, so that many are equal
};

/// A tensor of random elements.
ir::HostTensor randomTensor(const core::TypeDesc &type, Fill fill, Random &random);

/// A tensor of integers from [low, high], which the element type holds.
ir::HostTensor randomIntegers(const core::TypeDesc &type, int64_t low, int64_t high, Random &random);

/// Every pair (or triple ...) of special values: tensor k holds the k-th members.
std::vector<ir::HostTensor> specialTuples(DType dtype, unsigned count);

} // namespace burn::fuzz

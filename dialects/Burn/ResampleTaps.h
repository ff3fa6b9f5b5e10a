// Which elements an interpolation reads along one dimension, and with which weights; not for others.
#pragma once

#include "dialects/Burn/Burn.h"

#include <vector>

namespace burn::ir::composite {

/// Neighbours of each result element of one dimension. Nearest elements have no weights.
struct ResampleTaps {
  std::vector<std::vector<int64_t>> index; // [tap][result element]
  std::vector<std::vector<double>> weight;

  /// Whether each result element is the source element at its own place.
  bool isIdentity(int64_t source) const;
};

/// The taps of dimension `dim` of those that the op resamples; `source` is its size in the operand.
ResampleTaps resampleTaps(InterpolateOp op, unsigned dim, int64_t source);

} // namespace burn::ir::composite

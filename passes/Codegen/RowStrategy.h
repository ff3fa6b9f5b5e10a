// How a reduction is cut up, decided by its shape alone: the same inside and outside of a cluster,
// for any target and any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace burn::compiler {

/// Adjacent dims of a reduction's domain that are all reduced or all kept, as one.
struct RowDim {
  int64_t size = 1;
  bool reduced = false;
  /// The dims [first, last) of the domain that it stands for.
  int first = 0, last = 0;
};

/// How one reduction runs over its domain.
///
/// Where the last dim is reduced, element i of it goes to lane i mod 64 of an accumulator, which all
/// outer reduced indices share; lanes are then combined pairwise in a fixed tree. Where the last dim
/// is kept, each result is combined in row-major order. A split reduction does that for each block
/// of `blockLength` indices of the outermost reduced dim, and then combines the blocks in order.
struct RowStrategy {
  /// Outermost first; kept and reduced ones take turns. Dims of size 1 belong to a neighbour.
  std::vector<RowDim> dims;
  bool split = false;
  int64_t blockLength = 0;
  int64_t blocks = 1;

  bool lanesReduced() const { return !dims.empty() && dims.back().reduced; }
  int64_t reducedCount() const;
  int64_t keptCount() const;
  /// Position in `dims` of the outermost reduced one, -1 if none.
  int outermostReduced() const;
};

/// Lanes of the accumulator where the last dim is reduced.
inline constexpr int64_t kReductionLanes = 64;

RowStrategy rowStrategy(std::span<const int64_t> domain, std::span<const int64_t> reduceDims);

/// Whether a reduction over `dims` of a value of shape `domain` is computed in fixed blocks whose
/// partial results are combined in a second phase: where it has too few independent results to
/// occupy several threads.
bool isSplitReduction(std::span<const int64_t> domain, std::span<const int64_t> dims);

} // namespace burn::compiler

// How a reduction is cut up, decided by its shape alone: the same inside and outside of a cluster,
// for any target and any number of threads.
#pragma once

#include <cstdint>
#include <span>

namespace burn::compiler {

/// Whether a reduction over `dims` of a value of shape `domain` is computed in fixed blocks whose
/// partial results are combined in a second phase: where it has too few independent results to
/// occupy several threads.
bool isSplitReduction(std::span<const int64_t> domain, std::span<const int64_t> dims);

} // namespace burn::compiler

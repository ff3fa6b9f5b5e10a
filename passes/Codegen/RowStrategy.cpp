#include "passes/Codegen/RowStrategy.h"

#include <algorithm>

namespace burn::compiler {
namespace {

constexpr int64_t kLanes = 16;         // results that one vector holds where the last dimension stays
constexpr int64_t kEnoughTasks = 8;    // independent pieces of work that need no splitting
constexpr int64_t kSmallest = 1 << 15; // elements below which one thread is as good

} // namespace

bool isSplitReduction(std::span<const int64_t> domain, std::span<const int64_t> dims) {
  const auto reduced = [&](int64_t dim) { return std::ranges::find(dims, dim) != dims.end(); };
  int64_t elements = 1, kept = 1;
  const int64_t rank = static_cast<int64_t>(domain.size());
  int64_t last = rank - 1;
  while (last >= 0 && domain[last] == 1) // unit dimensions do not matter
    --last;
  for (int64_t i = 0; i < rank; ++i) {
    elements *= domain[i];
    if (!reduced(i))
      kept *= i == last ? (domain[i] + kLanes - 1) / kLanes : domain[i];
  }
  return kept < kEnoughTasks && elements >= kSmallest;
}

} // namespace burn::compiler

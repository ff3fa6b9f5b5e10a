#include "passes/Codegen/RowStrategy.h"

#include <algorithm>

namespace burn::compiler {
namespace {

// A reduction below this number of elements runs in a few microseconds: not worth a second phase.
constexpr int64_t kSplitElements = 32768;
// Elements of one block.
constexpr int64_t kBlockElements = 32768;
// With so many independent pieces of work, threads have enough to do without blocks.
constexpr int64_t kEnoughPieces = 8;

} // namespace

int64_t RowStrategy::reducedCount() const {
  int64_t count = 1;
  for (const RowDim &dim : dims)
    count *= dim.reduced ? dim.size : 1;
  return count;
}

int64_t RowStrategy::keptCount() const {
  int64_t count = 1;
  for (const RowDim &dim : dims)
    count *= dim.reduced ? 1 : dim.size;
  return count;
}

int RowStrategy::outermostReduced() const {
  for (size_t i = 0; i != dims.size(); ++i)
    if (dims[i].reduced)
      return static_cast<int>(i);
  return -1;
}

RowStrategy rowStrategy(std::span<const int64_t> domain, std::span<const int64_t> reduceDims) {
  RowStrategy strategy;
  for (int i = 0; i != static_cast<int>(domain.size()); ++i) {
    const bool reduced = std::find(reduceDims.begin(), reduceDims.end(), i) != reduceDims.end();
    RowDim dim{domain[i], reduced, i, i + 1};
    if (strategy.dims.empty()) {
      strategy.dims.push_back(dim);
      continue;
    }
    RowDim &last = strategy.dims.back();
    if (dim.size == 1 || last.reduced == dim.reduced || last.size == 1) {
      last.reduced = dim.size == 1 ? last.reduced : dim.reduced;
      last.size *= dim.size;
      last.last = dim.last;
    } else {
      strategy.dims.push_back(dim);
    }
  }
  const int outer = strategy.outermostReduced();
  const int64_t reduced = strategy.reducedCount(), kept = strategy.keptCount();
  if (outer < 0 || reduced == 0 || kept == 0)
    return strategy;
  int64_t pieces = kept;
  if (!strategy.lanesReduced()) {
    const int64_t last = strategy.dims.back().size;
    pieces = kept / last * ((last + 63) / 64);
  }
  if (reduced * kept < kSplitElements || pieces >= kEnoughPieces)
    return strategy;
  const int64_t length = strategy.dims[outer].size;
  const int64_t each = reduced / length * kept;
  int64_t block = std::max<int64_t>(1, kBlockElements / each);
  if (outer + 1 == static_cast<int>(strategy.dims.size()))
    block = (block + kReductionLanes - 1) / kReductionLanes * kReductionLanes;
  if (block >= length)
    return strategy;
  strategy.split = true;
  strategy.blockLength = block;
  strategy.blocks = (length + block - 1) / block;
  return strategy;
}

bool isSplitReduction(std::span<const int64_t> domain, std::span<const int64_t> dims) {
  return rowStrategy(domain, dims).split;
}

} // namespace burn::compiler

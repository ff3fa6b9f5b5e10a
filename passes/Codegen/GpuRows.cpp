#include "passes/Codegen/GpuRows.h"

#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/RowStrategy.h"
#include "passes/Codegen/Workgroup.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

// Rows up to this length are one invocation's work.
constexpr int64_t kShortRow = 16;
// A lane combines at least so many elements, and a block of a split reduction has at least so many.
constexpr int64_t kLaneElements = 4, kBlockElements = 4096;
constexpr int64_t kMostBlocks = 256;
constexpr int64_t kMostInvocations = 256;
// Neighbouring rows of a workgroup where the last dim is kept: their elements lie side by side.
constexpr int64_t kMostColumns = 32;

} // namespace

GpuRowTiling compiler::chooseGpuRowTiling(ArrayRef<int64_t> domain, ArrayRef<int64_t> reduceDims,
                                          const core::GpuTarget &gpu) {
  const RowStrategy strategy = rowStrategy({domain.data(), domain.size()}, {reduceDims.data(), reduceDims.size()});
  const int64_t reduced = strategy.reducedCount(), kept = strategy.keptCount();
  GpuRowTiling tiling;
  tiling.blockLength = reduced;
  if (reduced <= kShortRow || kept == 0)
    return tiling;
  const int64_t most = llvm::bit_floor(
      uint64_t(std::min<int64_t>({kMostInvocations, int64_t(gpu.maxInvocations), int64_t(gpu.maxWorkgroup[0])})));
  int64_t length = reduced;
  if (strategy.split) {
    length = std::max(kBlockElements, ceilDivide(reduced, kMostBlocks));
    tiling.blocks = ceilDivide(reduced, length);
    tiling.blockLength = length;
  }
  const int64_t wanted = llvm::bit_floor(uint64_t(length / kLaneElements));
  tiling.lanesAdjacent = strategy.lanesReduced();
  if (tiling.lanesAdjacent) {
    tiling.lanes = std::min(wanted, most);
    tiling.columns = std::max<int64_t>(1, std::min<int64_t>(64, most) / tiling.lanes);
  } else {
    tiling.columns =
        std::min<int64_t>({int64_t(llvm::bit_ceil(uint64_t(strategy.dims.back().size))), kMostColumns, most});
    tiling.lanes = std::min(wanted, most / tiling.columns);
    tiling.lanesAdjacent = tiling.columns == 1;
  }
  return tiling;
}

int64_t compiler::gpuRowTasks(const GpuRowTiling &tiling, int64_t rows) {
  return ceilDivide(rows, tiling.columns) * tiling.blocks;
}

GpuRowPlace compiler::placeInRows(IndexEmitter &b, const GpuRowTiling &tiling, int64_t rows, int64_t length, Value task,
                                  Value invocation) {
  GpuRowPlace place;
  place.row = task;
  place.block = b.index(0);
  place.begin = b.index(0);
  place.end = b.index(length);
  if (tiling.blocks > 1) {
    const int64_t groups = ceilDivide(rows, tiling.columns);
    place.row = b.rem(task, groups);
    place.block = b.div(task, groups);
    place.begin = b.mul(place.block, tiling.blockLength);
    place.end = arith::MinUIOp::create(b, b.add(place.begin, tiling.blockLength), place.end);
  }
  if (tiling.invocations() == 1)
    return place;
  place.invocation = invocation;
  const int64_t adjacent = tiling.lanesAdjacent ? tiling.lanes : tiling.columns;
  const bool inOneRow = tiling.columns == 1;
  Value fast = inOneRow ? invocation : b.rem(invocation, adjacent);
  Value slow = inOneRow ? b.index(0) : b.div(invocation, adjacent);
  place.lane = tiling.lanesAdjacent ? fast : slow;
  place.column = tiling.lanesAdjacent ? slow : fast;
  place.row = b.add(b.mul(place.row, tiling.columns), place.column);
  if (rows % tiling.columns != 0) {
    place.exists = b.compare(CmpIPredicate::ult, place.row, b.index(rows));
    place.row = b.select(place.exists, place.row, b.index(rows - 1));
  }
  return place;
}

Value GpuRowPlace::isFirst(IndexEmitter &b, const GpuRowTiling &tiling) const {
  if (tiling.lanes == 1)
    return exists;
  Value first = b.compare(CmpIPredicate::eq, lane, b.index(0));
  return exists ? Value(arith::AndIOp::create(b, first, exists)) : first;
}

void compiler::combineLanes(IndexEmitter &b, const GpuRowTiling &tiling, const GpuRowPlace &place,
                            MutableArrayRef<Value> values, ArrayRef<Value> memory,
                            llvm::function_ref<IndexEmitter::Values(ValueRange, ValueRange)> combine) {
  const Location loc = b.getLoc();
  const auto load = [&](Value at) {
    IndexEmitter::Values loaded;
    for (auto [value, buffer] : llvm::zip_equal(values, memory))
      loaded.push_back(loadShared(b, loc, buffer, at, value.getType()));
    return loaded;
  };
  const auto store = [&](ValueRange stored) {
    for (auto [value, buffer] : llvm::zip_equal(stored, memory))
      storeShared(b, loc, value, buffer, place.invocation);
  };
  store(ValueRange(values));
  workgroupBarrier(b, loc);
  for (int64_t half = tiling.lanes / 2; half > 0; half /= 2) {
    b.when(b.compare(CmpIPredicate::ult, place.lane, b.index(half)), [&] {
      const IndexEmitter::Values lower = load(place.invocation);
      store(combine(lower, load(b.add(place.invocation, half * tiling.laneStride()))));
    });
    workgroupBarrier(b, loc);
  }
  Value first = tiling.lanesAdjacent ? b.mul(place.column, tiling.lanes) : place.column;
  llvm::copy(load(first), values.begin());
}

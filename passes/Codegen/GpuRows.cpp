#include "passes/Codegen/GpuRows.h"

#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/RowStrategy.h"
#include "passes/Codegen/Workgroup.h"
#include "runtime/Core/GpuPlan.h"

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
constexpr int64_t kMostBlocks = 1024;
// Neighbouring rows of a workgroup where the last dim is kept: their elements lie side by side.
constexpr int64_t kMostColumns = 32;
// So many values are read out of workgroup memory at once and combined by each invocation for itself: another visit
// would cost two barriers.
constexpr int64_t kReadTogether = 8;

} // namespace

GpuRowTiling compiler::chooseGpuRowTiling(ArrayRef<int64_t> domain, ArrayRef<int64_t> reduceDims,
                                          const core::GpuTarget &gpu) {
  const RowStrategy strategy = rowStrategy({domain.data(), domain.size()}, {reduceDims.data(), reduceDims.size()});
  const int64_t reduced = strategy.reducedCount(), kept = strategy.keptCount();
  GpuRowTiling tiling;
  tiling.blockLength = reduced;
  if (reduced <= kShortRow || kept == 0)
    return tiling;
  const int64_t most = llvm::bit_floor(uint64_t(
      std::min<int64_t>({core::kGpuMostInvocations, int64_t(gpu.maxInvocations), int64_t(gpu.maxWorkgroup[0])})));
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
  // Where no two lanes of a row are in one, they are of no use.
  if (gpu.features & core::kGpuSubgroups && tiling.lanes > 1 && 2 * tiling.laneStride() <= gpu.subgroupSize &&
      tiling.invocations() % gpu.subgroupSize == 0)
    tiling.subgroup = gpu.subgroupSize;
  return tiling;
}

GpuRowTiling compiler::chooseGpuBlockTiling(int64_t blocks, int64_t rows, const core::GpuTarget &gpu) {
  GpuRowTiling tiling = chooseGpuRowTiling({blocks, rows}, {0}, gpu);
  tiling.blocks = 1;
  tiling.blockLength = blocks;
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
  if (tiling.subgroup > 1) {
    const SubgroupPlace own = placeInSubgroup(b, b.getLoc(), tiling.subgroup);
    invocation = own.invocation;
    place.subgroupLane = own.lane;
  }
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
  using Values = IndexEmitter::Values;
  const Location loc = b.getLoc();
  const int64_t stride = tiling.laneStride();
  int64_t distance = 1; // of lanes that hold what those between them have combined
  for (; distance < tiling.lanes && 2 * distance * stride <= tiling.subgroup; distance *= 2) {
    Values other;
    for (Value value : values)
      other.push_back(shuffleFlipped(b, loc, value, distance * stride, tiling.subgroup));
    llvm::copy(combine(ValueRange(values), other), values.begin());
  }
  if (distance == tiling.lanes) {
    Value first = b.sub(place.subgroupLane, b.mul(place.lane, stride));
    for (Value &value : values)
      value = shuffleFrom(b, loc, value, first, tiling.subgroup);
    return;
  }

  const auto load = [&](Value at) {
    Values loaded;
    for (auto [value, buffer] : llvm::zip_equal(values, memory))
      loaded.push_back(loadShared(b, loc, buffer, at, value.getType()));
    return loaded;
  };
  const auto store = [&](ValueRange stored, Value at) {
    for (auto [value, buffer] : llvm::zip_equal(stored, memory))
      storeShared(b, loc, value, buffer, at);
  };
  if (distance == 1)
    store(ValueRange(values), place.invocation);
  else
    b.when(b.compare(CmpIPredicate::eq, b.rem(place.lane, distance), b.index(0)),
           [&] { store(ValueRange(values), place.invocation); });
  workgroupBarrier(b, loc);
  Value first = tiling.lanesAdjacent ? b.mul(place.column, tiling.lanes) : place.column;
  for (; tiling.lanes / distance > kReadTogether; distance *= 2) {
    b.when(b.compare(CmpIPredicate::ult, place.lane, b.index(tiling.lanes / distance / 2)), [&] {
      Value at = b.add(first, b.mul(place.lane, 2 * distance * stride));
      const Values lower = load(at);
      store(combine(lower, load(b.add(at, distance * stride))), at);
    });
    workgroupBarrier(b, loc);
  }
  SmallVector<Values> parts;
  for (int64_t lane = 0; lane < tiling.lanes; lane += distance)
    parts.push_back(load(b.add(first, lane * stride)));
  for (; parts.size() > 1; parts.resize(parts.size() / 2))
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = combine(parts[2 * i], parts[2 * i + 1]);
  llvm::copy(parts.front(), values.begin());
}

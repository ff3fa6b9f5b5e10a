#include "passes/Codegen/GpuMatrices.h"

#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Workgroup.h"
#include "runtime/Core/GpuPlan.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kSmallestSide = 16;

struct Tile {
  int64_t groupRows, groupLanes, ownRows, ownLanes; // of a workgroup, and of a subgroup
  int64_t steps, stagedLanes;
};
// Larger tiles read less, and more steps cost fewer barriers; what both take of workgroup memory is 48 KiB at most.
constexpr Tile kTiles[] = {
    {256, 128, 64, 64, 32, 32}, {128, 128, 64, 32, 64, 16}, {64, 64, 32, 32, 64, 32}, {32, 32, 16, 16, 64, 16}};

int64_t bytesOf(core::GpuMatrixShape::Element element) { return element == core::GpuMatrixShape::F16 ? 2 : 1; }

} // namespace

std::optional<GpuMatrixTiling> compiler::chooseGpuMatrixTiling(const Contraction &contraction, ir::ScalarKind kind,
                                                               const core::GpuTarget &gpu) {
  constexpr uint32_t needed = core::kGpuMatrices | core::kGpuSubgroups;
  if ((gpu.features & needed) != needed)
    return std::nullopt;
  core::GpuMatrixShape::Element element;
  if (kind.isFloat() && kind.width == 16 && !kind.isBF16)
    element = core::GpuMatrixShape::F16;
  else if (kind.isSigned() && kind.width == 8)
    element = core::GpuMatrixShape::I8;
  else
    return std::nullopt;
  const int64_t batch = contraction.count(LoopGroup::Batch), rows = contraction.count(LoopGroup::Row),
                lanes = contraction.count(LoopGroup::Lane), steps = contraction.count(LoopGroup::Contracted);
  if (std::min({rows, lanes, steps}) < kSmallestSide)
    return std::nullopt;

  std::optional<GpuMatrixTiling> best;
  for (const Tile &tile : kTiles) {
    GpuMatrixTiling tiling;
    tiling.subgroup = gpu.subgroupSize;
    tiling.groupRows = tile.groupRows;
    tiling.groupLanes = tile.groupLanes;
    tiling.ownRows = tile.ownRows;
    tiling.ownLanes = tile.ownLanes;
    tiling.steps = tile.steps;
    tiling.stagedLanes = tile.stagedLanes;
    for (const core::GpuMatrixShape &shape : gpu.matrices)
      if (shape.element == element && tile.ownRows % shape.m == 0 && tile.stagedLanes % shape.n == 0 &&
          tile.steps % shape.k == 0 &&
          uint64_t(shape.m) * shape.n * shape.k > uint64_t(tiling.shape.m) * tiling.shape.n * tiling.shape.k)
        tiling.shape = shape;
    const int64_t memory = SharedOperand::mostBytes(tile.groupRows, tile.steps, bytesOf(element)) +
                           SharedOperand::mostBytes(tile.groupLanes, tile.steps, bytesOf(element)) +
                           tiling.subgroups() * tiling.shape.m * tile.stagedLanes * 4;
    if (tiling.shape.m == 0 || memory > int64_t(gpu.workgroupMemoryBytes) ||
        tiling.invocations() > std::min<int64_t>({core::kGpuMostInvocations, gpu.maxInvocations, gpu.maxWorkgroup[0]}))
      continue;
    best = tiling;
    if (batch * ceilDivide(rows, tile.groupRows) * ceilDivide(lanes, tile.groupLanes) >= kGpuManyGroups)
      break;
  }
  if (best) {
    const int64_t groups = batch * ceilDivide(rows, best->groupRows) * ceilDivide(lanes, best->groupLanes);
    std::tie(best->slices, best->sliceSteps) = chooseGpuSlices(steps, groups, best->steps);
  }
  return best;
}

GpuMatrixSums::GpuMatrixSums(IndexEmitter &b, const Contraction &contraction, const GpuMatrixTiling &tiling,
                             const ContractionOperand &rowsOperand, const ContractionOperand &lanesOperand,
                             ir::ScalarKind kind)
    : b(b), contraction(contraction), tiling(tiling), element(kind.getLowered(b.getContext())),
      sumType(kind.isFloat() ? Type(b.getF32Type()) : Type(b.getI32Type())),
      rows(b, contraction, rowsOperand, LoopGroup::Row, tiling.groupRows, tiling.steps, tiling.invocations(), element),
      lanes(b, contraction, lanesOperand, LoopGroup::Lane, tiling.groupLanes, tiling.steps, tiling.invocations(),
            element) {
  const SubgroupPlace own = placeInSubgroup(b, b.getLoc(), tiling.subgroup);
  invocation = own.invocation;
  subgroupLane = own.lane;
  subgroupNumber = own.subgroup;
  const int64_t across = tiling.groupLanes / tiling.ownLanes;
  ownRow = b.mul(b.div(subgroupNumber, across), tiling.ownRows);
  ownLane = b.mul(b.rem(subgroupNumber, across), tiling.ownLanes);
}

// The matrix of an operand that begins `offset` rows or lanes behind `first`, and at a step.
Value GpuMatrixSums::matrix(const SharedOperand &side, bool isRows, Value first, int64_t offset, int64_t step) {
  const int64_t m = tiling.shape.m, n = tiling.shape.n, k = tiling.shape.k;
  Type type = element.isInteger() ? IntegerType::get(b.getContext(), 8, IntegerType::Signed) : element;
  auto result = gpu::MMAMatrixType::get(isRows ? ArrayRef{m, k} : ArrayRef{k, n}, type, isRows ? "AOp" : "BOp");
  // Lines of a matrix are rows of the one operand where these have its steps, columns of the other.
  const bool isTransposed = side.stepsAreFast() != isRows;
  return gpu::SubgroupMmaLoadMatrixOp::create(b, result, side.getMemory(), side.unitOf(first, offset, step),
                                              b.getIndexAttr(side.getLeading()),
                                              isTransposed ? b.getUnitAttr() : UnitAttr());
}

void GpuMatrixSums::sum(Value batch, Value row, Value lane, Value from) {
  const Location loc = b.getLoc();
  tileRow = row;
  tileLane = lane;
  rows.place(invocation, batch, row);
  lanes.place(invocation, batch, lane);
  const int64_t m = tiling.shape.m, n = tiling.shape.n;
  auto type = gpu::MMAMatrixType::get({m, n}, sumType, "COp");
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
  const int64_t down = tiling.ownRows / m, across = tiling.ownLanes / n;
  Values carried = rows.fetch(from);
  llvm::append_range(carried, lanes.fetch(from));
  const size_t units = carried.size(), ofRows = rows.units();
  for (int64_t i = 0; i < down * across; ++i)
    carried.push_back(gpu::SubgroupMmaConstantMatrixOp::create(b, type, zero));

  // What the next steps need is fetched before the products of these. Steps beyond the end count as zeros, so that the
  // loop has a fixed number of iterations.
  const Values results =
      b.loop(b.index(0), b.index(tiling.sliceSteps), tiling.steps, carried, [&](Value i, ValueRange before) {
        workgroupBarrier(b, loc);
        rows.keep(before.take_front(ofRows));
        lanes.keep(before.slice(ofRows, units - ofRows));
        workgroupBarrier(b, loc);
        Value next = b.add(b.add(from, i), tiling.steps);
        Values after = rows.fetch(next);
        llvm::append_range(after, lanes.fetch(next));
        Values totals(before.drop_front(units));
        for (int64_t step = 0; step < tiling.steps; step += tiling.shape.k) {
          Values x, y;
          for (int64_t r = 0; r < down; ++r)
            x.push_back(matrix(rows, true, ownRow, r * m, step));
          for (int64_t c = 0; c < across; ++c)
            y.push_back(matrix(lanes, false, ownLane, c * n, step));
          for (int64_t r = 0; r < down; ++r)
            for (int64_t c = 0; c < across; ++c) {
              Value &total = totals[r * across + c];
              total = gpu::SubgroupMmaComputeOp::create(b, type, x[r], y[c], total, UnitAttr(), UnitAttr());
            }
        }
        llvm::append_range(after, totals);
        return after;
      });
  sums.assign(results.begin() + units, results.end());
}

void GpuMatrixSums::forEach(llvm::function_ref<void(scf::ForOp, Value, Value, Value, Value)> body) {
  const Location loc = b.getLoc();
  const int64_t m = tiling.shape.m, n = tiling.shape.n, across = tiling.ownLanes / n;
  const int64_t width = tiling.stagedLanes, count = m * width;
  // Which invocation holds which element of a matrix is the GPU's own affair: they meet in memory.
  Value memory = allocateShared(b, loc, tiling.subgroups() * count, sumType);
  Value begin = b.mul(subgroupNumber, count);
  const int64_t rowCount = contraction.count(LoopGroup::Row), laneCount = contraction.count(LoopGroup::Lane);
  for (int64_t r = 0; r < tiling.ownRows; r += m)
    for (int64_t c = 0; c < tiling.ownLanes; c += width) {
      if (r > 0 || c > 0)
        workgroupBarrier(b, loc);
      for (int64_t i = 0; i < width; i += n)
        gpu::SubgroupMmaStoreMatrixOp::create(b, sums[r / m * across + (c + i) / n], memory, b.add(begin, i),
                                              b.getIndexAttr(width), UnitAttr());
      workgroupBarrier(b, loc);
      scf::ForOp loop = openLoop(b, loc, b.index(0), b.index(count), b.index(tiling.subgroup));
      Value number = b.add(loop.getInductionVar(), subgroupLane);
      Value row = b.add(b.add(tileRow, ownRow), b.add(b.div(number, width), r));
      Value lane = b.add(b.add(tileLane, ownLane), b.add(b.rem(number, width), c));
      Value exists;
      const auto require = [&](Value condition) {
        exists = exists ? Value(arith::AndIOp::create(b, exists, condition)) : condition;
      };
      if (rowCount % tiling.groupRows != 0)
        require(b.compare(CmpIPredicate::ult, row, b.index(rowCount)));
      if (laneCount % tiling.groupLanes != 0)
        require(b.compare(CmpIPredicate::ult, lane, b.index(laneCount)));
      body(loop, row, lane, loadShared(b, loc, memory, b.add(begin, number), sumType), exists);
      closeLoop(b, loop);
    }
}

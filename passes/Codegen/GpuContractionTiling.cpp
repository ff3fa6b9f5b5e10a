#include "passes/Codegen/GpuSharedOperand.h"

#include "passes/Codegen/KernelLoops.h"

#include "llvm/ADT/bit.h"

using namespace burn;
using namespace burn::compiler;

namespace {

constexpr int64_t kFewInvocations = 64;
constexpr int64_t kSmallestSide = 16, kUsualSide = 64, kLargestSide = 128;
// Fewer rows or lanes than that fill no tile, and fewer elements no workgroup.
constexpr int64_t kTiledSide = 8, kTiledElements = 1024, kTiledSteps = 8;
// Sums with so few workgroups are cut into slices, of so many steps at least.
constexpr int64_t kEnoughGroups = 64, kSliceSteps = 512, kMostSlices = 64;
// Visits of memory in a slice. Beyond them there are more slices: drivers end loops that take too long.
constexpr int64_t kMostVisits = 16384;
constexpr int64_t kElementsOfGroup = 64; // where each invocation computes one

int64_t ceilPower(int64_t value) { return llvm::bit_ceil(uint64_t(std::max<int64_t>(value, 1))); }

} // namespace

std::pair<int64_t, int64_t> compiler::chooseGpuSlices(int64_t steps, int64_t groups, int64_t visit) {
  int64_t wanted = ceilDivide(steps, kMostVisits * visit);
  if (groups < kEnoughGroups && groups > 0 && steps >= 2 * kSliceSteps)
    wanted = std::max(wanted,
                      std::min({ceilDivide(steps, kSliceSteps), ceilDivide(4 * kEnoughGroups, groups), kMostSlices}));
  if (wanted <= 1)
    return {1, steps};
  const int64_t each = ceilDivide(ceilDivide(steps, wanted), kGpuChain) * kGpuChain;
  return {ceilDivide(steps, each), each};
}

GpuContractionTiling compiler::chooseGpuTiling(const Contraction &contraction, int64_t elementBytes,
                                               const core::GpuTarget &gpu) {
  const int64_t batch = contraction.count(LoopGroup::Batch), rows = contraction.count(LoopGroup::Row),
                lanes = contraction.count(LoopGroup::Lane), steps = contraction.count(LoopGroup::Contracted);
  GpuContractionTiling tiling;
  int64_t groups = ceilDivide(batch * rows * lanes, kElementsOfGroup);
  if (rows >= kTiledSide && lanes >= kTiledSide && rows * lanes >= kTiledElements && steps >= kTiledSteps) {
    const int64_t most = llvm::bit_floor(uint64_t(
        std::min<int64_t>({core::kGpuMostInvocations, int64_t(gpu.maxInvocations), int64_t(gpu.maxWorkgroup[0])})));
    int64_t own = 4;
    int64_t groupRows = std::clamp(ceilPower(rows), kSmallestSide, kUsualSide);
    int64_t groupLanes = std::clamp(ceilPower(lanes), kSmallestSide, kUsualSide);
    const auto invocations = [&] { return groupRows / own * (groupLanes / own); };
    if (invocations() < kFewInvocations)
      own = 2;
    while (invocations() * 2 <= most && groupRows < std::min(ceilPower(rows), kLargestSide))
      groupRows *= 2;
    while (invocations() * 2 <= most && groupLanes < std::min(ceilPower(lanes), kLargestSide))
      groupLanes *= 2;
    while (invocations() > most)
      (groupRows > groupLanes ? groupRows : groupLanes) /= 2;
    int64_t visit = 16;
    // Where there is enough of everything, an invocation has four times as many elements.
    if (elementBytes == 4 && most == core::kGpuMostInvocations &&
        batch * ceilDivide(rows, kLargestSide) * ceilDivide(lanes, kLargestSide) >= kGpuManyGroups) {
      groupRows = groupLanes = kLargestSide;
      own = 8;
      visit = 8;
    }
    const auto bytes = [&] {
      return SharedOperand::mostBytes(groupRows, visit, elementBytes) +
             SharedOperand::mostBytes(groupLanes, visit, elementBytes);
    };
    while (visit > 1 && bytes() > int64_t(gpu.workgroupMemoryBytes))
      visit /= 2;
    if (bytes() <= int64_t(gpu.workgroupMemoryBytes)) {
      tiling.groupRows = groupRows;
      tiling.groupLanes = groupLanes;
      tiling.ownRows = tiling.ownLanes = own;
      tiling.steps = visit;
      groups = batch * ceilDivide(rows, groupRows) * ceilDivide(lanes, groupLanes);
    }
  }
  std::tie(tiling.slices, tiling.sliceSteps) = chooseGpuSlices(steps, groups, tiling.steps);
  return tiling;
}

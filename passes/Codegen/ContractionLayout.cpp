#include "passes/Codegen/ContractionLayout.h"

#include "passes/Codegen/ContractionDots.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

namespace burn::compiler {

PackKind packKindOf(const Contraction &contraction, bool rowsOperand, int64_t vectorLanes) {
  // Only sizes and strides are looked at, so no code is emitted.
  llvm::SmallVector<PanelSource::Axis> axes;
  if (isConvolved(contraction, rowsOperand))
    for (const WindowAxis &axis : contraction.window)
      axes.push_back({axis.extent, axis.stride, axis.dilation, nullptr});
  auto lanes = operandStreams(contraction, rowsOperand, rowsOperand ? LoopGroup::Row : LoopGroup::Lane);
  auto steps = operandStreams(contraction, rowsOperand, LoopGroup::Contracted);
  mergeStaticStreams(lanes);
  mergeStaticStreams(steps);
  return classifyPack(lanes, steps, axes, vectorLanes);
}

bool turnsRows(const Contraction &merged, const ContractionTiling &tiling) {
  return tiling.packRows && !isConvolved(merged, true) &&
         packKindOf(merged, true, llvm::PowerOf2Ceil(tiling.tileRows)) == PackKind::Contiguous &&
         packKindOf(merged, false, tiling.vectorLanes) == PackKind::Contiguous;
}

bool isStreamed(int64_t rows, int64_t panelElements) {
  // More rows multiply for longer than memory takes; fewer elements stay in the second-level cache.
  constexpr int64_t mostRows = 64, fewestElements = 1 << 18;
  return rows <= mostRows && panelElements >= fewestElements;
}

ContractionLayout::ContractionLayout(const Contraction &original, const ContractionTiling &wanted)
    : contraction(mergeLoops(wanted.exchange ? exchangeRoles(original) : original)), tiling(wanted) {
  blocking = blockSteps(contraction.contracted, tiling.blockSteps);
  batchCount = contraction.count(LoopGroup::Batch);
  rowCount = contraction.count(LoopGroup::Row);
  laneCount = contraction.count(LoopGroup::Lane);
  stepCount = contraction.count(LoopGroup::Contracted);
  rowTasks = llvm::divideCeil(rowCount, tiling.taskRows);
  laneTasks = llvm::divideCeil(laneCount, tiling.taskLanes);
  taskCount = batchCount * rowTasks * laneTasks;

  sweepsTile = tiling.exchange || tiling.sweeps;
  usesTile = blocking.blocked || sweepsTile;
  turnsLanes = !tiling.packLanes && rowCount == 1 && !blocking.blocked &&
               packKindOf(contraction, false, tiling.vectorLanes) == PackKind::Transposed;
  const bool packsRows = tiling.packRows && !tiling.readyRows, packsLanes = tiling.packLanes && !tiling.readyLanes;
  keepsRows = packsRows && !blocking.blocked && laneTasks > 1 && (rowTasks == 1 || turnsRows(contraction, tiling));
  keepsPanels = packsLanes && !blocking.blocked && rowTasks > 1 && !keepsRows;

  int64_t taskRows = std::min(tiling.taskRows, rowCount);
  int64_t taskLanes = std::min(tiling.taskLanes, laneCount);
  int64_t rowPanelCount = llvm::divideCeil(taskRows, tiling.tileRows);
  int64_t lanePanelCount = llvm::divideCeil(taskLanes, tiling.tileLanes);
  rowPitch = llvm::PowerOf2Ceil(tiling.tileRows);
  // Reading several cache lines at once spares narrow panels page walks. Groups divide a task, so that only the
  // last task has a shorter one.
  auto panelsAtOnce = [&](bool rowsOperand, int64_t panels, int64_t size, int64_t lanes, int64_t tasks) -> int64_t {
    if (packKindOf(contraction, rowsOperand, lanes) != PackKind::Contiguous)
      return 1;
    int64_t atOnce = std::clamp<int64_t>(64 / size, 1, panels);
    // One task of rows packs no panel for another: the longest runs are best, unless a panel is a run already.
    if (atOnce > 1 && blocking.blocked && (rowsOperand || rowTasks == 1))
      atOnce = panels;
    while (tasks > 1 && panels % atOnce != 0)
      --atOnce;
    return atOnce;
  };
  int64_t groupPanels =
      tiling.readyLanes ? 1 : panelsAtOnce(false, lanePanelCount, tiling.tileLanes, tiling.vectorLanes, laneTasks);
  groupRows = tiling.tileRows * panelsAtOnce(true, rowPanelCount, tiling.tileRows, rowPitch, rowTasks);
  groupLanes = groupPanels * tiling.tileLanes;
  bool copies = packsLanes && packKindOf(contraction, false, tiling.vectorLanes) == PackKind::Contiguous;
  // Each task has a whole tile of rows first.
  int64_t lastRows = rowCount % tiling.taskRows;
  packsInTiles =
      copies && groupPanels == 1 && rowCount >= tiling.tileRows && (lastRows == 0 || lastRows >= tiling.tileRows);
  // Panels that are filled side by side start in other sets of the caches, a cache line apart.
  constexpr int64_t lineElements = 16;
  rowPanelElements = rowPitch * blocking.capacity + lineElements;
  lanePanelElements = tiling.tileLanes * blocking.capacity;
  allRowPanels = llvm::divideCeil(rowCount, tiling.tileRows);
  allLanePanels = llvm::divideCeil(laneCount, tiling.tileLanes);
  readyRowElements = rowPitch * stepCount;
  readyLaneElements = tiling.tileLanes * stepCount;
  streamsPanels = tiling.readyLanes && isStreamed(rowCount, batchCount * allLanePanels * readyLaneElements);
  tilePitch = lanePanelCount * tiling.tileLanes;
  // Columns are read in whole vectors of rows.
  tileElements = tilePitch * (llvm::alignTo(taskRows, tiling.vectorLanes) + tiling.vectorLanes);

  auto reserve = [&](int64_t elements) {
    int64_t at = scratchElements;
    // Whole cache lines for any element of at least four bytes.
    scratchElements += llvm::alignTo(elements, 16);
    return at;
  };
  if (packsRows)
    rowPanels = reserve(rowPanelElements * rowPanelCount);
  if (packsLanes)
    lanePanels = reserve(lanePanelElements * (keepsPanels ? lanePanelCount : groupPanels));
  if (usesTile)
    tile = reserve(tileElements);
}

int64_t contractionTaskCount(const Contraction &contraction, const ContractionTiling &tiling) {
  return tiling.dot != DotInstruction::None ? DotLayout(contraction, tiling).taskCount
                                            : ContractionLayout(contraction, tiling).taskCount;
}

int64_t contractionScratchElements(const Contraction &contraction, const ContractionTiling &tiling) {
  return tiling.dot != DotInstruction::None ? DotLayout(contraction, tiling).scratchElements
                                            : ContractionLayout(contraction, tiling).scratchElements;
}

int64_t readyPanelElements(const Contraction &contraction, const ContractionTiling &tiling, bool rows) {
  if (tiling.dot != DotInstruction::None) {
    const DotLayout layout(contraction, tiling);
    return layout.batchCount *
           (rows ? layout.allRowPanels * layout.rowPanelElements : layout.allLanePanels * layout.lanePanelElements);
  }
  const ContractionLayout layout(contraction, tiling);
  return layout.batchCount *
         (rows ? layout.allRowPanels * layout.readyRowElements : layout.allLanePanels * layout.readyLaneElements);
}

int64_t packTaskCount(const Contraction &contraction, const ContractionTiling &tiling, bool rows) {
  if (tiling.dot != DotInstruction::None) {
    const DotLayout layout(contraction, tiling);
    return layout.batchCount * (rows ? layout.allRowPanels : layout.allLanePanels);
  }
  const ContractionLayout layout(contraction, tiling);
  return layout.batchCount * (rows ? layout.allRowPanels : layout.allLanePanels);
}

ContractionTiling packedAhead(const Contraction &contraction, ContractionTiling tiling, bool manyThreads) {
  // Less work runs on one thread.
  constexpr double fewestWork = 1 << 21;
  if (tiling.dot != DotInstruction::None || contraction.outElements == 0 || tiling.readyLanes || tiling.readyRows)
    return tiling;
  const ContractionLayout layout(contraction, tiling);
  const int64_t blocks = layout.batchCount * layout.laneTasks;
  if (double(blocks) * layout.rowCount * tiling.taskLanes * layout.stepCount < fewestWork)
    return tiling;
  // Lanes are packed again by every call of a thread that has a part of their rows, which tells where these are many
  // and blocks of lanes are few. Measured in calls of one to 32 parts.
  constexpr int64_t fewestRowTasks = 4, mostBlocks = 4;
  tiling.readyLanes = tiling.packLanes && !isConvolved(layout.contraction, false) &&
                      layout.rowTasks >= fewestRowTasks && blocks <= mostBlocks;
  // Rows that are turned as they are packed are the dearest of all, so that tasks with them are wide, and few. Many
  // threads want more, where one or two are faster with packed rows that do not leave the cache.
  const int64_t wanted = manyThreads ? 32 : 16;
  tiling.readyRows = manyThreads && turnsRows(layout.contraction, tiling) && !layout.keepsRows &&
                     contractionTaskCount(contraction, tiling) < wanted;
  if (!tiling.readyRows && !(tiling.readyLanes && (manyThreads || layout.blocking.blocked)))
    return tiling;
  // Blocks of operands that are ready pack little or nothing any more, so there may be more of them, for more threads.
  const auto half = [](int64_t size, int64_t tile) { return int64_t(llvm::alignTo(size / 2, tile)); };
  const auto cut = [&](int64_t fewestLanes, int64_t fewestRows) {
    while (contractionTaskCount(contraction, tiling) < wanted) {
      if (tiling.taskLanes >= 2 * fewestLanes)
        tiling.taskLanes = half(tiling.taskLanes, tiling.tileLanes);
      else if (tiling.taskRows >= 2 * fewestRows)
        tiling.taskRows = half(tiling.taskRows, tiling.tileRows);
      else
        return;
    }
  };
  cut(512, 128);
  if (manyThreads)
    cut(std::max<int64_t>(64, tiling.tileLanes), 48);
  return tiling;
}

bool isTilingLegal(const Contraction &contraction, const ContractionTiling &tiling, llvm::StringRef &why) {
  auto isPositive = [](int64_t value) { return value > 0; };
  if (!isPositive(tiling.vectorLanes) || !isPositive(tiling.tileRows) || !isPositive(tiling.tileLanes) ||
      !isPositive(tiling.taskRows) || !isPositive(tiling.taskLanes) || tiling.blockSteps < 0) {
    why = "sizes must be positive";
    return false;
  }
  if (!llvm::isPowerOf2_64(tiling.vectorLanes) || tiling.vectorLanes < 2) {
    why = "vector lanes must be a power of two from 2";
    return false;
  }
  if (tiling.tileLanes % tiling.vectorLanes != 0) {
    why = "the tile's lanes must be whole vectors";
    return false;
  }
  if (tiling.tileRows * (tiling.tileLanes / tiling.vectorLanes) > 64) {
    why = "the tile has more than 64 vectors";
    return false;
  }
  if ((tiling.readyRows && !tiling.packRows) || (tiling.readyLanes && !tiling.packLanes)) {
    why = "an operand that is ready must be packed";
    return false;
  }
  if (tiling.dot != DotInstruction::None)
    return isDotTilingLegal(contraction, tiling, why);
  ContractionLayout layout(contraction, tiling);
  if (tiling.taskRows % tiling.tileRows != 0 && tiling.taskRows < layout.rowCount) {
    why = "a task's rows must be whole tiles";
    return false;
  }
  if (tiling.taskLanes % tiling.tileLanes != 0 && tiling.taskLanes < layout.laneCount) {
    why = "a task's lanes must be whole tiles";
    return false;
  }
  if (isConvolved(layout.contraction, true) && !tiling.packRows) {
    why = "padded or dilated rows must be packed";
    return false;
  }
  bool contiguous = layout.contraction.lanes.size() == 1 &&
                    (layout.laneCount == 1 || layout.contraction.lanes.front().laneStride == 1) &&
                    !isConvolved(layout.contraction, false);
  if (!contiguous && !tiling.packLanes && !layout.turnsLanes) {
    why = "lanes that are not contiguous must be packed";
    return false;
  }
  return true;
}

} // namespace burn::compiler

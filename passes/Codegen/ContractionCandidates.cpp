// Tilings beside the chosen one, and an estimate of what they take: the few that are worth measuring.
#include "passes/Codegen/ContractionCost.h"
#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/ContractionLayout.h"

#include "passes/Targets/Cpu/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>
#include <tuple>

namespace burn::compiler {
namespace {

// Bytes of the caches, and bytes a cycle that come from behind them, of processors at hand.
constexpr double kFirstLevel = 32 << 10, kSecondLevel = 1 << 20;
constexpr double kSecondBandwidth = 40, kThirdBandwidth = 10;

double bytesPerCycle(double reused) {
  return reused <= kFirstLevel ? 128 : reused <= kSecondLevel / 2 ? kSecondBandwidth : kThirdBandwidth;
}

// How much longer several threads take because tasks do not come out even, on the average of a few numbers of threads.
double imbalance(double tasks) {
  double sum = 0;
  for (double threads : {1., 2., 4.})
    sum += std::ceil(tasks / threads) * threads / tasks;
  return sum / 3;
}

/// `most` sizes of tasks from a tile to the whole.
std::set<int64_t> taskSizes(llvm::ArrayRef<int64_t> sizes, int64_t tile, int64_t total) {
  std::set<int64_t> result;
  for (int64_t size : sizes)
    result.insert(evenTasks(size < total ? size : int64_t(llvm::alignTo(total, tile)), tile, total));
  return result;
}

} // namespace

double tilingCycles(const Contraction &contraction, const ContractionTiling &tiling, int64_t elementBytes,
                    const ContractionMachine &machine) {
  const ContractionLayout layout(contraction, tiling);
  const Contraction &c = layout.contraction;
  const double batch = layout.batchCount, rows = layout.rowCount, lanes = layout.laneCount,
               steps = std::max<int64_t>(1, layout.stepCount), bytes = elementBytes;
  const double block = std::min<double>(steps, std::max<int64_t>(1, layout.blocking.capacity));
  const int64_t taskRows = std::min(tiling.taskRows, layout.rowCount),
                taskLanes = std::min(tiling.taskLanes, layout.laneCount);
  const RegisterTile tile{std::min(tiling.tileRows, layout.rowCount), tiling.tileLanes / tiling.vectorLanes};

  // From registers: whole tasks, and the last ones, which may be shorter.
  const auto vectorsOf = [&](int64_t count) { return llvm::divideCeil(count, tiling.vectorLanes); };
  double perStep = 0;
  for (auto [rowCount, rowTimes] : {std::pair(taskRows, layout.rowCount / std::max<int64_t>(1, taskRows)),
                                    std::pair(layout.rowCount % std::max<int64_t>(1, taskRows), int64_t(1))})
    for (auto [laneCount, laneTimes] : {std::pair(taskLanes, layout.laneCount / std::max<int64_t>(1, taskLanes)),
                                        std::pair(layout.laneCount % std::max<int64_t>(1, taskLanes), int64_t(1))})
      if (rowCount > 0 && laneCount > 0)
        perStep += double(rowTimes * laneTimes) * tileCycles(tile, rowCount, vectorsOf(laneCount));
  double cycles = batch * steps * perStep;

  // Panels come from some cache under every tile of rows, rows under every panel.
  const double panelBytes = tiling.tileLanes * block * bytes, rowBlockBytes = taskRows * block * bytes;
  const double rowTiles = batch * llvm::divideCeil(layout.rowCount, tiling.tileRows),
               panels = batch * llvm::divideCeil(layout.laneCount, tiling.tileLanes);
  const double laneTraffic = rowTiles * lanes * steps * bytes / bytesPerCycle(panelBytes),
               rowTraffic = panels * rows * steps * bytes / bytesPerCycle(rowBlockBytes);
  cycles += std::max(0.0, laneTraffic + rowTraffic - cycles / 2);

  const auto pack = [&](bool rowsOperand) {
    return machine.pack[int(packKindOf(c, rowsOperand, rowsOperand ? layout.rowPitch : tiling.vectorLanes))];
  };
  // Panels that are ready were packed before the clock runs.
  const double rowPasses = tiling.readyRows   ? 0
                           : layout.keepsRows ? 1
                                              : layout.laneTasks,
               lanePasses = tiling.readyLanes    ? 0
                            : layout.keepsPanels ? 1
                                                 : layout.rowTasks;
  const double farSteps = 1024; // bytes: a page for every few elements
  if (tiling.packRows)
    cycles += batch * rows * steps * rowPasses * pack(true) * 2;
  else if (!c.contracted.empty() && c.contracted.back().rowStride * bytes >= farSteps &&
           rows * steps * bytes > machine.inPlaceBytes)
    cycles += batch * rows * steps;
  if (tiling.packLanes)
    cycles += batch * lanes * steps * lanePasses * pack(false);
  else if (!c.contracted.empty() && c.contracted.back().laneStride * bytes >= 4 * farSteps && block > 64)
    cycles += rowTiles * panels / batch * steps * 1.5;
  // What no cache holds comes from memory again for every task beside it.
  if (rows * steps * bytes > kSecondLevel)
    cycles += 0.4 * batch * rows * steps * bytes * layout.laneTasks / kThirdBandwidth;
  if (lanes * steps * bytes > kSecondLevel)
    cycles += 0.4 * batch * lanes * steps * bytes * layout.rowTasks / kThirdBandwidth;
  // Sums are put down and taken up again between blocks.
  if (layout.usesTile) {
    const double visits = layout.blocking.blocked ? 2 * std::ceil(steps / block) : 2;
    cycles += batch * rows * lanes * bytes * visits / std::min(64.0, bytesPerCycle(taskRows * taskLanes * bytes));
  }
  if (tiling.exchange)
    cycles += 1.5 * batch * rows * lanes;
  // Threads are woken for a few hundred thousand cycles and more.
  const double tasks = std::max<int64_t>(1, layout.taskCount);
  return cycles > 3e5 ? cycles * imbalance(tasks) : cycles;
}

bool readsFixed(const ContractionTiling &untuned, ContractionTiling &tiling) {
  if (!untuned.readyRows && !untuned.readyLanes)
    return true;
  const bool areRows = untuned.readyRows == (untuned.exchange == tiling.exchange);
  tiling.readyRows = areRows;
  tiling.readyLanes = !areRows;
  return areRows ? tiling.packRows : tiling.packLanes;
}

static llvm::SmallVector<ContractionTiling> tilingGrid(const Contraction &contraction, const ContractionTiling &untuned,
                                                       const ContractionMachine &machine) {
  // Register tiles beyond those that the choice knows: shorter ones for few rows, and squarer ones.
  llvm::SmallVector<RegisterTile> tiles(tilesOf(machine));
  static constexpr RegisterTile wide[] = {{14, 2}, {4, 6}, {5, 4}, {4, 4}, {24, 1}};
  static constexpr RegisterTile narrow[] = {{5, 2}, {3, 4}, {4, 2}, {12, 1}};
  if (machine.registers >= 32)
    tiles.append(std::begin(wide), std::end(wide));
  else
    tiles.append(std::begin(narrow), std::end(narrow));
  llvm::SmallVector<ContractionTiling> grid;
  for (bool exchange : {false, true}) {
    const Contraction c = mergeLoops(exchange ? exchangeRoles(contraction) : contraction);
    const int64_t rows = c.count(LoopGroup::Row), lanes = c.count(LoopGroup::Lane),
                  steps = std::max<int64_t>(1, c.count(LoopGroup::Contracted));
    std::set<std::tuple<int64_t, int64_t>> seen;
    for (RegisterTile tile : tiles) {
      ContractionTiling tiling = untuned;
      tiling.exchange = exchange;
      tiling.tileRows = std::min(tile.rows, rows);
      tiling.tileLanes =
          std::min<int64_t>(tile.vectors, llvm::divideCeil(lanes, tiling.vectorLanes)) * tiling.vectorLanes;
      if (!seen.insert({tiling.tileRows, tiling.tileLanes}).second)
        continue;
      std::set<int64_t> blocks = {steps};
      for (int64_t size : {16, 32, 64, 128, 192, 256, 384, 512, 768, 1024})
        if (size < steps)
          blocks.insert(size);
      for (int64_t block : blocks)
        for (int64_t taskRows : taskSizes({24, 48, 96, 192, 258, 516, rows}, tiling.tileRows, rows))
          for (int64_t taskLanes : taskSizes({64, 128, 256, 512, 1024, 2048, lanes}, tiling.tileLanes, lanes))
            for (int packs = 0; packs < 4; ++packs) {
              tiling.blockSteps = block;
              tiling.taskRows = taskRows;
              tiling.taskLanes = taskLanes;
              tiling.packRows = packs & 1;
              tiling.packLanes = packs & 2;
              llvm::StringRef why;
              if (readsFixed(untuned, tiling) && !(tiling == untuned) && isTilingLegal(contraction, tiling, why))
                grid.push_back(tiling);
            }
    }
  }
  return grid;
}

/// Neighbours of a tiling for an instruction of several steps: other sizes of tasks, and other instructions of the
/// same results.
static llvm::SmallVector<ContractionTiling> dotNeighbours(const Contraction &contraction,
                                                          const ContractionTiling &untuned,
                                                          const ContractionKinds &kinds, const CpuTargetInfo &target) {
  llvm::SmallVector<ContractionTiling> result;
  const auto add = [&](const ContractionTiling &tiling) {
    llvm::StringRef why;
    if (!(tiling == untuned) && !llvm::is_contained(result, tiling) && isTilingLegal(contraction, tiling, why))
      result.push_back(tiling);
  };
  const Contraction c = mergeLoops(contraction);
  const int64_t rows = c.count(LoopGroup::Row), lanes = c.count(LoopGroup::Lane);
  for (auto [rowScale, laneScale] : {std::pair(2., 1.), {.5, 1.}, {1., 2.}, {1., .5}, {.5, 2.}, {2., .5}}) {
    ContractionTiling tiling = untuned;
    tiling.taskRows = evenTasks(int64_t(tiling.taskRows * rowScale), tiling.tileRows, rows);
    tiling.taskLanes = evenTasks(int64_t(tiling.taskLanes * laneScale), tiling.tileLanes, lanes);
    add(tiling);
  }
  if (isExact(untuned.dot) && !untuned.readyRows && !untuned.readyLanes)
    add(chooseContractionTiling(contraction, kinds.sum.width / 8, target, kinds.widens()));
  return result;
}

llvm::SmallVector<ContractionTiling> tilingCandidates(const Contraction &contraction, const ContractionTiling &untuned,
                                                      const ContractionKinds &kinds, const CpuTargetInfo &target,
                                                      size_t most) {
  llvm::SmallVector<ContractionTiling> result = {untuned};
  if (most == 1 || contraction.outElements == 0 || contraction.count(LoopGroup::Contracted) == 0)
    return result;
  if (untuned.dot != DotInstruction::None) {
    result.append(dotNeighbours(contraction, untuned, kinds, target));
    result.resize(std::min(result.size(), most ? most : result.size()));
    return result;
  }
  const ContractionMachine machine = machineOf(target);
  std::vector<std::pair<double, ContractionTiling>> ranked;
  std::vector<size_t> order;
  for (const ContractionTiling &tiling : tilingGrid(contraction, untuned, machine))
    ranked.push_back({tilingCycles(contraction, tiling, kinds.sum.width / 8, machine), tiling});
  // In the order of the grid where estimates agree.
  for (size_t i = 0; i < ranked.size(); ++i)
    order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) { return std::pair(ranked[a].first, a) < std::pair(ranked[b].first, b); });
  // An estimate that is this far off would be of no use.
  constexpr double ruledOut = 2;
  // Candidates that differ in little but the size of their tasks tell little: a few of each kind.
  constexpr size_t mostOfKind = 2;
  std::map<std::tuple<bool, int64_t, int64_t, bool, bool>, size_t> kindsSeen;
  for (size_t place : order) {
    const auto &[cycles, tiling] = ranked[place];
    if (most ? result.size() >= most : cycles > ruledOut * ranked[order.front()].first)
      break;
    size_t &seen = kindsSeen[{tiling.exchange, tiling.tileRows, tiling.tileLanes, tiling.packRows, tiling.packLanes}];
    if (most && seen++ >= mostOfKind)
      continue;
    result.push_back(tiling);
  }
  return result;
}

} // namespace burn::compiler

#include "passes/Codegen/ContractionCost.h"
#include "passes/Codegen/ContractionLayout.h"

#include "passes/Targets/Cpu/CpuTarget.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace burn::compiler {

ContractionMachine machineOf(const CpuTargetInfo &target) {
  if (target.vectorRegisters >= 32)
    return {32,      256 << 10, 512 << 10, 512 << 10,  512 << 10, {0.12, 0.25, 0.4, 1.2}, true, 8, 128, 8 << 20,
            2 << 20, 1024,      false,     1280 << 10, 4 << 20};
  return {16,      64 << 10, 256 << 10, 256 << 10, 256 << 10, {0.25, 0.4, 0.5, 1.5}, true, 48, 192, 2 << 20,
          2 << 20, 256,      true,      0,         4 << 20};
}

llvm::ArrayRef<RegisterTile> tilesOf(const ContractionMachine &machine) {
  static constexpr RegisterTile wide[] = {{6, 4}, {8, 3}, {12, 2}, {16, 1}, {2, 8}};
  static constexpr RegisterTile narrow[] = {{6, 2}, {4, 3}, {10, 1}, {2, 4}};
  return machine.registers >= 32 ? llvm::ArrayRef<RegisterTile>(wide) : llvm::ArrayRef<RegisterTile>(narrow);
}

namespace {

/// Cycles of one contracted step of a tile: two multiply-adds, or two loads, a
/// cycle, and never less than the latency of an addition.
double stepCycles(int64_t rows, int64_t vectors) {
  return std::max({rows * vectors / 2.0, (rows + vectors) / 2.0, 4.0});
}

} // namespace

double tileCycles(const RegisterTile &tile, int64_t rowCount, int64_t vectorCount) {
  double cycles = 0;
  auto panels = [&](int64_t vectors, int64_t count) {
    cycles += count * (rowCount / tile.rows) * stepCycles(tile.rows, vectors);
    if (int64_t tail = rowCount % tile.rows)
      cycles += count * stepCycles(tail, vectors);
  };
  panels(tile.vectors, vectorCount / tile.vectors);
  if (int64_t tail = vectorCount % tile.vectors)
    panels(tail, 1);
  return cycles;
}

int64_t evenTasks(int64_t most, int64_t tileSize, int64_t total) {
  int64_t tiles = std::max<int64_t>(1, most / tileSize);
  int64_t all = llvm::divideCeil(total, tileSize);
  return llvm::divideCeil(all, llvm::divideCeil(all, tiles)) * tileSize;
}

namespace {

/// A matrix times a vector waits for memory: it is read once, in pieces that are long enough for the processor to
/// foresee. Lanes that are neighbours run in long rows, a few steps at once; of others a cache line each is turned in
/// registers.
void tileVector(ContractionTiling &tiling, PackKind kind, int64_t lanes, int64_t steps, int64_t elementBytes) {
  constexpr int64_t rowSteps = 16, rowLanes = 1024, turnedLanes = 64, lineBytes = 64;
  auto pieces = [&](int64_t size) { return llvm::alignTo(std::min(size, lanes), tiling.tileLanes); };
  tiling.packLanes = false;
  tiling.taskRows = 1;
  if (kind == PackKind::Contiguous) {
    tiling.blockSteps = std::min(steps, rowSteps);
    tiling.taskLanes = pieces(rowLanes);
  } else {
    tiling.tileLanes = std::min(tiling.tileLanes, std::max(tiling.vectorLanes, lineBytes / elementBytes));
    tiling.blockSteps = steps;
    tiling.taskLanes = pieces(turnedLanes);
  }
}

/// Few rows wait for the memory of a right-hand side that fills no cache: it is read once, in long runs of few steps,
/// while the sums of all rows stay in cache.
void tileWide(ContractionTiling &tiling, const ContractionMachine &machine, int64_t rows, int64_t lanes, int64_t steps,
              bool widens) {
  constexpr int64_t inPlaceSteps = 32, fewestLanes = 512, mostLanes = 1024, tasks = 4;
  tiling.packLanes = rows > std::max(widens ? 0 : machine.inPlaceRows, tiling.tileRows);
  tiling.blockSteps = std::min(steps, tiling.packLanes ? machine.wideSteps : inPlaceSteps);
  tiling.taskRows = llvm::alignTo(rows, tiling.tileRows);
  int64_t pieces = llvm::divideCeil(lanes, std::clamp(lanes / tasks, fewestLanes, mostLanes));
  tiling.taskLanes = llvm::alignTo(llvm::divideCeil(lanes, pieces), tiling.tileLanes);
}

/// Few rows wait for panels that are ready and fill no cache: a tile takes all rows, so that each panel passes once, as
/// one stream. Rows stay in the second-level cache. False where they are too many for the registers.
bool tileStream(ContractionTiling &tiling, const ContractionMachine &machine, int64_t batch, int64_t rows,
                int64_t lanes, int64_t steps, int64_t elementBytes) {
  constexpr int64_t mostLanes = 256, wantedTasks = 16, rowBytes = 256 << 10;
  int64_t vectors = 2;
  while (vectors > 0 && rows * vectors + vectors + 1 > machine.registers)
    --vectors;
  if (vectors == 0)
    return false;
  tiling.tileRows = tiling.taskRows = rows;
  tiling.tileLanes = std::min(vectors * tiling.vectorLanes, int64_t(llvm::alignTo(lanes, tiling.vectorLanes)));
  tiling.packLanes = true;
  tiling.blockSteps = std::min(steps, rowBytes / (rows * elementBytes));
  tiling.taskLanes =
      evenTasks(std::clamp(batch * lanes / wantedTasks, tiling.tileLanes, mostLanes), tiling.tileLanes, lanes);
  return true;
}

/// Short sums wait for the memory of the result: all lanes stay packed in cache while rows pass, a few at once, so that
/// the result is written in long runs.
void tileShort(ContractionTiling &tiling, int64_t rows, int64_t lanes) {
  constexpr int64_t mostRows = 48, mostLanes = 1024;
  tiling.packLanes = true;
  tiling.taskRows = evenTasks(mostRows, tiling.tileRows, rows);
  tiling.taskLanes = evenTasks(mostLanes, tiling.tileLanes, lanes);
}

/// Large operands: the fewer and longer the blocks of the result, the less often each operand comes from memory, in
/// longer runs. A few tasks are left for threads.
void tileLarge(ContractionTiling &tiling, const ContractionMachine &machine, int64_t batch, int64_t rows,
               int64_t lanes) {
  constexpr int64_t mostRows = 258, mostLanes = 1024, fewestLanes = 256, tasks = 4;
  tiling.packLanes = true;
  tiling.packRows |= machine.packsLargeRows;
  tiling.blockSteps = machine.largeSteps;
  tiling.taskRows = evenTasks(mostRows, tiling.tileRows, rows);
  tiling.taskLanes = evenTasks(mostLanes, tiling.tileLanes, lanes);
  while (batch * int64_t(llvm::divideCeil(rows, tiling.taskRows)) * int64_t(llvm::divideCeil(lanes, tiling.taskLanes)) <
             tasks &&
         tiling.taskLanes > fewestLanes)
    tiling.taskLanes = evenTasks(tiling.taskLanes / 2, tiling.tileLanes, lanes);
}

/// Cuts the rows into a few more tasks where that makes the number of all tasks, `others` for each piece of rows, one
/// that the usual numbers of threads share evenly.
void evenOut(ContractionTiling &tiling, int64_t others, int64_t rows) {
  const int64_t tiles = llvm::divideCeil(rows, tiling.tileRows);
  const int64_t pieces = llvm::divideCeil(rows, tiling.taskRows);
  constexpr int64_t most = 64; // what many tasks leave over at the end is little
  if (pieces == 1 || pieces * others > most)
    return;
  for (int64_t even : {16, 8, 4, 2})
    for (int64_t more = pieces; more <= pieces + pieces / 3 && more * 4 <= tiles; ++more) {
      const int64_t perTask = llvm::divideCeil(tiles, more);
      if (more * others % even == 0 && int64_t(llvm::divideCeil(tiles, perTask)) == more) {
        tiling.taskRows = perTask * tiling.tileRows;
        return;
      }
    }
}

struct Candidate {
  ContractionTiling tiling;
  double cycles;
  /// Reads the lanes once and as fast as memory gives them, which the other way round would not.
  bool streams = false;
};

Candidate consider(const Contraction &original, bool exchange, int64_t elementBytes, int64_t vectorLanes,
                   const ContractionMachine &machine, bool widens, FixedOperand fixed) {
  Contraction c = mergeLoops(exchange ? exchangeRoles(original) : original);
  int64_t batch = c.count(LoopGroup::Batch), rows = c.count(LoopGroup::Row), lanes = c.count(LoopGroup::Lane),
          steps = std::max<int64_t>(1, c.count(LoopGroup::Contracted));
  int64_t vectors = llvm::divideCeil(lanes, vectorLanes);

  Candidate best;
  ContractionTiling &tiling = best.tiling;
  tiling.vectorLanes = vectorLanes;
  tiling.exchange = exchange;
  RegisterTile tile = {};
  best.cycles = -1;
  for (const RegisterTile &choice : tilesOf(machine)) {
    double cycles = tileCycles(choice, rows, vectors);
    if (best.cycles < 0 || cycles < best.cycles * 0.98) {
      best.cycles = cycles;
      tile = choice;
    }
  }
  // Where one tile's lanes make nearly all of the result, narrower ones give threads something to do.
  double work = double(batch) * rows * lanes * steps;
  int64_t wanted = int64_t(std::clamp(work / (1 << 17), 1.0, 32.0));
  auto pieces = [&](const RegisterTile &choice) {
    return batch * int64_t(llvm::divideCeil(rows, 4 * choice.rows)) *
           int64_t(llvm::divideCeil(vectors, choice.vectors));
  };
  double limit = best.cycles * 1.4;
  for (const RegisterTile &choice : tilesOf(machine))
    if (pieces(tile) < std::min<int64_t>(wanted, 4) && choice.vectors < tile.vectors &&
        tileCycles(choice, rows, vectors) <= limit)
      tile = choice;
  best.cycles = tileCycles(tile, rows, vectors);
  tile.rows = std::min(tile.rows, rows);
  tile.vectors = std::min(tile.vectors, vectors);
  tiling.tileRows = tile.rows;
  tiling.tileLanes = tile.vectors * vectorLanes;
  best.cycles *= double(batch) * steps;

  // Rows are read in place unless elements may be missing, or each step takes them from another page or nearly so.
  PackKind rowKind = packKindOf(c, true, llvm::PowerOf2Ceil(tile.rows));
  bool strided = rowKind == PackKind::Contiguous && rows >= 64 && steps >= 256 && lanes >= 4 * tiling.tileLanes &&
                 c.contracted.back().rowStride * elementBytes >= 1024;
  tiling.packRows =
      isConvolved(c, true) || (machine.packsStridedRows && strided) || (widens && lanes > tiling.tileLanes);
  PackKind kind = packKindOf(c, false, vectorLanes);
  const bool fixedIsRows = (fixed == FixedOperand::Lhs) == c.lhsIsRows;
  // Panels that are ready cost no packing, and are read in long runs. They gain nothing where lanes are read once as
  // they lie, from many pages at once, and lose where memory holds more of them than of narrow elements.
  const bool isLarge = lanes * steps * elementBytes > machine.inPlaceBytes;
  const bool readsOnce = rows == 1 && (kind == PackKind::Contiguous || (kind == PackKind::Transposed && isLarge));
  const bool widensOnce = widens && rows <= tile.rows;
  tiling.readyLanes = fixed != FixedOperand::None && !fixedIsRows && !readsOnce && !widensOnce;
  tiling.readyRows = fixed != FixedOperand::None && fixedIsRows && tiling.packRows;
  if (tiling.readyLanes && isLarge && !tiling.packRows &&
      tileStream(tiling, machine, batch, rows, lanes, steps, elementBytes))
    return best;
  int64_t laneBytes = lanes * steps * elementBytes, rowBytes = rows * steps * elementBytes;
  tiling.packLanes = tiling.readyLanes || kind != PackKind::Contiguous || (widens && rows > tile.rows) ||
                     (lanes > tiling.tileLanes && rows >= 4 * tile.rows && laneBytes >= machine.inPlaceBytes);
  if (tiling.packRows && !tiling.readyRows)
    best.cycles += double(batch) * rows * steps * machine.pack[int(rowKind)] * 2;
  // In place, rows whose steps lie apart cost a visit of another page for every few elements.
  else if (!tiling.packRows && c.contracted.back().rowStride * elementBytes >= 1024 && rowBytes > machine.inPlaceBytes)
    best.cycles += double(batch) * rows * steps;
  if (tiling.packLanes && !tiling.readyLanes)
    best.cycles += double(batch) * lanes * steps * machine.pack[int(kind)];
  if (exchange)
    best.cycles += 1.5 * batch * rows * lanes;

  if (rows == 1 && !tiling.packRows && !tiling.readyLanes &&
      (kind == PackKind::Transposed || (kind == PackKind::Contiguous && laneBytes > machine.inPlaceBytes))) {
    tileVector(tiling, kind, lanes, steps, elementBytes);
    best.streams = true;
    return best;
  }
  constexpr int64_t fewRows = 128;
  if (rows <= fewRows && !tiling.packRows && !tiling.readyLanes && kind == PackKind::Contiguous &&
      laneBytes > machine.inPlaceBytes && lanes > tiling.tileLanes && steps > machine.wideSteps) {
    tileWide(tiling, machine, rows, lanes, steps, widens);
    best.streams = true;
    return best;
  }

  constexpr int64_t shortSteps = 128;
  if (steps <= shortSteps && !tiling.packRows && kind == PackKind::Contiguous && tile.rows > 1 &&
      lanes > tiling.tileLanes && laneBytes <= machine.panelsBytes &&
      rows * lanes * elementBytes > machine.panelsBytes) {
    tiling.blockSteps = steps;
    tileShort(tiling, rows, lanes);
    return best;
  }
  // Rows that are turned as they are packed are packed once for many panels of lanes where they stay in cache over all
  // steps: tasks with the same rows follow each other.
  constexpr int64_t fewestKept = 48, mostKept = 132, fewestPanels = 8;
  const int64_t stepBytes = steps * elementBytes;
  const int64_t keptTiles = std::min(mostKept / tile.rows, (machine.keptBytes / stepBytes - tiling.tileLanes) /
                                                               int64_t(llvm::PowerOf2Ceil(tile.rows)));
  if (strided && turnsRows(c, tiling) && !tiling.readyRows && !tiling.readyLanes &&
      lanes >= fewestPanels * tiling.tileLanes && tiling.tileLanes * stepBytes <= machine.panelBytes &&
      laneBytes < machine.keptLanesBytes && keptTiles * tile.rows >= fewestKept) {
    tiling.packLanes = true;
    tiling.blockSteps = steps;
    tiling.taskRows = evenTasks(keptTiles * tile.rows, tile.rows, rows);
    tiling.taskLanes = tiling.tileLanes;
    return best;
  }

  int64_t largeBytes = strided ? machine.largePackedBytes : machine.largeBytes;
  if (std::min(rowBytes, laneBytes) > largeBytes && rowKind != PackKind::Gathered && kind == PackKind::Contiguous &&
      !isConvolved(c, true) && tile.rows > 1 && lanes > 4 * tiling.tileLanes) {
    tileLarge(tiling, machine, batch, rows, lanes);
    return best;
  }

  // Blocks of steps: a panel of lanes stays in cache under all rows. Packed rows stay there too, which leaves less.
  int64_t panelBytes = tiling.packRows ? machine.panelBytes / 2 : machine.panelBytes;
  int64_t panelSteps =
      std::max<int64_t>(64, panelBytes / elementBytes / tiling.tileLanes * (lanes <= 8 * tiling.tileLanes ? 2 : 1));
  tiling.blockSteps = std::min(steps, panelSteps);
  bool blocked = blockSteps(c.contracted, tiling.blockSteps).blocked;

  // Tasks: rows that fit the cache, lanes in whole panels; then smaller until
  // there are enough for many threads, or a task would not be worth handing
  // over.
  int64_t rowLimit = machine.rowsBytes / (tiling.blockSteps * elementBytes);
  // Panels of a block are packed anew for each task, which wants many rows to pay for that.
  if (blocked && tiling.packLanes)
    rowLimit = std::max<int64_t>(rowLimit, 256);
  tiling.taskRows = evenTasks(std::max(rowLimit, 8 * tile.rows), tile.rows, rows);
  // Packed rows want to serve several panels of lanes. Rows that are packed to be widened are all packed once where
  // they stay in cache, so that tasks are columns, each of which widens lanes of its own.
  constexpr int64_t widenedBytes = 1280 << 10;
  const bool columns = widens && tiling.packRows && tiling.packLanes && !blocked && !isConvolved(c, true) &&
                       rowBytes <= widenedBytes && lanes >= 4 * tiling.tileLanes;
  if (columns)
    tiling.taskRows = llvm::alignTo(rows, tile.rows);
  int64_t fewestLanes = (tiling.packRows && !columns ? 8 : 1) * tiling.tileLanes;
  int64_t laneLimit = tiling.packLanes && !blocked
                          ? std::max(fewestLanes, machine.panelsBytes / (tiling.blockSteps * elementBytes))
                          : 1024;
  tiling.taskLanes = evenTasks(std::min<int64_t>(laneLimit, 1024), tiling.tileLanes, lanes);
  auto tasks = [&] {
    return batch * int64_t(llvm::divideCeil(rows, tiling.taskRows)) *
           int64_t(llvm::divideCeil(lanes, tiling.taskLanes));
  };
  while (tasks() < wanted && tiling.taskLanes > fewestLanes)
    tiling.taskLanes = evenTasks(tiling.taskLanes / 2, tiling.tileLanes, lanes);
  // Few rows a task waste the packing of lanes, unless the next task has them
  // still.
  int64_t fewestRows = tiling.packLanes && !tiling.readyLanes ? (blocked ? 12 : tiling.packRows ? 8 : 4) : 1;
  while (!columns && tasks() < wanted && tiling.taskRows >= 2 * fewestRows * tile.rows)
    tiling.taskRows = evenTasks(tiling.taskRows / 2, tile.rows, rows);
  if (!columns)
    evenOut(tiling, batch * llvm::divideCeil(lanes, tiling.taskLanes), rows);
  return best;
}

} // namespace

ContractionTiling chooseContractionTiling(const Contraction &contraction, int64_t elementBytes,
                                          const CpuTargetInfo &target, bool widens, FixedOperand fixed) {
  ContractionMachine machine = machineOf(target);
  int64_t vectorLanes = std::max<int64_t>(2, target.vectorBytes / elementBytes);
  if (contraction.outElements == 0) {
    ContractionTiling none;
    none.vectorLanes = none.tileLanes = none.taskLanes = vectorLanes;
    none.tileRows = none.taskRows = none.blockSteps = 1;
    none.packRows = none.packLanes = true;
    return none;
  }
  Candidate plain = consider(contraction, false, elementBytes, vectorLanes, machine, widens, fixed);
  Candidate exchanged = consider(contraction, true, elementBytes, vectorLanes, machine, widens, fixed);
  return exchanged.cycles < plain.cycles && !plain.streams ? exchanged.tiling : plain.tiling;
}

} // namespace burn::compiler

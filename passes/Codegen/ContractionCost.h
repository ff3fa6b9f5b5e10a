// What the choice of a tiling weighs: figures of processors, and the cycles that a tiling takes.
#pragma once

#include "passes/Codegen/Contraction.h"

#include <algorithm>

namespace burn::compiler {

/// Figures of a target that the choice weighs. Sizes are in bytes, costs in
/// cycles; they were measured on machines of both kinds.
struct ContractionMachine {
  int64_t registers;
  /// A panel of lanes that is read from cache at full speed.
  int64_t panelBytes;
  /// Rows that stay in the second-level cache while panels pass.
  int64_t rowsBytes;
  /// Packed panels that stay there while rows pass.
  int64_t panelsBytes;
  /// Contiguous lanes up to this size are read in place.
  int64_t inPlaceBytes;
  /// Cycles to pack one element, by PackKind.
  double pack[4];
  /// Whether rows whose steps lie apart are read faster from panels.
  bool packsStridedRows;
  /// Up to so many rows, a right-hand side that fills no cache is read in place rather than packed.
  int64_t inPlaceRows;
  /// Contracted steps of its panels, under more rows.
  int64_t wideSteps;
  /// Operands of more bytes than this, both of them, are cut into blocks that stay in the second-level cache; the
  /// second figure is for rows that are packed in any case.
  int64_t largeBytes, largePackedBytes;
  /// Contracted steps of these blocks, and whether their rows are packed too.
  int64_t largeSteps;
  bool packsLargeRows;
  /// Packed rows over all steps, and a panel of lanes, that stay in the second-level cache while other lanes pass (0:
  /// blocks are as fast); all lanes are fewer bytes than the second figure.
  int64_t keptBytes, keptLanesBytes;
};

ContractionMachine machineOf(const CpuTargetInfo &target);

/// A register tile.
struct RegisterTile {
  int64_t rows, vectors;
};

/// Register tiles, best first: accumulators, the vectors of a step and one
/// broadcast must fit.
llvm::ArrayRef<RegisterTile> tilesOf(const ContractionMachine &machine);

/// Cycles of one contracted step over all rows and vectors, from registers.
double tileCycles(const RegisterTile &tile, int64_t rowCount, int64_t vectorCount);

/// The size of tasks of up to `most` of `total` rows or lanes, in whole tiles: equal ones rather than a short last one.
int64_t evenTasks(int64_t most, int64_t tileSize, int64_t total);

/// An estimate of the cycles that the tiling takes on one of several processors, each of which gets its share of tasks.
double tilingCycles(const Contraction &contraction, const ContractionTiling &tiling, int64_t elementBytes,
                    const ContractionMachine &machine);

/// Has `tiling` read, from ready panels, the operand that `untuned` has ready; false where it packs none of it.
bool readsFixed(const ContractionTiling &untuned, ContractionTiling &tiling);

/// Tilings of equal results, the cheapest first by tilingCycles: `untuned`, then at most `most` - 1 others. 0 for all
/// of the grid that the estimate does not rule out.
llvm::SmallVector<ContractionTiling> tilingCandidates(const Contraction &contraction, const ContractionTiling &untuned,
                                                      const ContractionKinds &kinds, const CpuTargetInfo &target,
                                                      size_t most);

} // namespace burn::compiler

#pragma once

#include "passes/Codegen/ContractionStreams.h"

namespace burn::compiler {

/// Everything that follows from a contraction and its tiling: the contraction
/// in the roles the kernel gives its operands, the grid of tasks, and where
/// things stand in scratch memory.
struct ContractionLayout {
  ContractionLayout(const Contraction &contraction, const ContractionTiling &tiling);

  Contraction contraction;
  ContractionTiling tiling;
  StepBlocking blocking;
  int64_t batchCount, rowCount, laneCount, stepCount;
  int64_t rowTasks, laneTasks, taskCount;

  /// Sums wait in scratch between blocks, to be transposed, or for a long
  /// epilogue; else they stay in registers.
  bool usesTile;
  /// Finished sums leave scratch in a pass of their own: to be transposed, or for a long epilogue.
  bool sweepsTile;
  /// The packed lanes of a task serve the next task with the same lanes, and packed rows that with the same rows:
  /// tasks with the same ones follow each other.
  bool keepsPanels, keepsRows;

  /// Lanes whose steps are neighbours in memory are turned in registers as they are read, and not packed.
  bool turnsLanes;

  /// The first tile of rows packs the lanes that it reads, which costs no pass of its own.
  bool packsInTiles;

  /// Panels of lanes come from memory, or a cache that is far, and pass under few rows.
  bool streamsPanels;

  /// Rows and lanes packed at once: whole panels.
  int64_t groupRows, groupLanes;
  /// Distance of steps in a panel of rows; its vectors are that wide.
  int64_t rowPitch;
  int64_t rowPanelElements, lanePanelElements;
  /// Row pitch of the tile of sums.
  int64_t tilePitch;
  int64_t tileElements;
  /// Panels of all rows and all lanes of a batch, and elements of one of them over all steps: where they are ready.
  int64_t allRowPanels, allLanePanels, readyRowElements, readyLaneElements;
  /// Element offsets in scratch.
  int64_t rowPanels = 0, lanePanels = 0, tile = 0;
  int64_t scratchElements = 0;
};

/// Whether rows are turned as they are packed, which costs more than the lanes, whose vectors are copied.
bool turnsRows(const Contraction &merged, const ContractionTiling &tiling);

} // namespace burn::compiler

// How rows meet the invocations of a GPU's workgroups.
#pragma once

#include "passes/Codegen/IndexEmitter.h"
#include "runtime/Core/GpuTarget.h"

namespace burn::compiler {

/// A row lies along the reduced dims of a domain, or along an axis that is scanned; it has lanes, and a workgroup one
/// or several rows, its columns.
struct GpuRowTiling {
  int64_t lanes = 1;
  int64_t columns = 1;
  /// Whether neighbouring invocations are lanes of one row; else they stand in neighbouring rows.
  bool lanesAdjacent = true;
  /// Pieces that a row is cut into, each for a workgroup of its own.
  int64_t blocks = 1, blockLength = 0;
  /// Neighbouring invocations that read one another's registers; 1: none do. It changes no result.
  int64_t subgroup = 1;

  int64_t invocations() const { return lanes * columns; }
  int64_t laneStride() const { return lanesAdjacent ? 1 : columns; }
  /// Whether lanes need workgroup memory to meet.
  bool meetsInMemory() const { return lanes > 1 && lanes * laneStride() > subgroup; }
};

/// The tiling of a reduction. It follows from the domain, the reduced dims and the GPU alone, as orders of sums do.
GpuRowTiling chooseGpuRowTiling(llvm::ArrayRef<int64_t> domain, llvm::ArrayRef<int64_t> reduceDims,
                                const core::GpuTarget &gpu);

/// The tiling of what combines the blocks of `rows` rows, which lie [block][row] in memory.
GpuRowTiling chooseGpuBlockTiling(int64_t blocks, int64_t rows, const core::GpuTarget &gpu);

/// Where an invocation stands.
struct GpuRowPlace {
  /// `invocation`, `lane` and `column` are null where a workgroup is no unit, each invocation having a row.
  mlir::Value row, block, invocation, lane, column;
  /// The invocation's place in its subgroup; null where these are not used.
  mlir::Value subgroupLane;
  /// Whether there is a row; null: always. Where there is none, `row` is the last one: its invocations may compute with
  /// the others, and store nothing.
  mlir::Value exists;
  /// The steps of the row, or of its block.
  mlir::Value begin, end;

  /// What holds in the first lane of each row that there is; null: always.
  mlir::Value isFirst(IndexEmitter &b, const GpuRowTiling &tiling) const;
};

/// The place of an invocation among `rows` rows of `length` steps; the tasks are gpuRowTasks.
GpuRowPlace placeInRows(IndexEmitter &b, const GpuRowTiling &tiling, int64_t rows, int64_t length, mlir::Value task,
                        mlir::Value invocation);
int64_t gpuRowTasks(const GpuRowTiling &tiling, int64_t rows);

/// Combines what the lanes of a row have: lane 0 with 1, 2 with 3 and so on, then pairs of these, again and again. The
/// tree is the same whether lanes meet within a subgroup or through `memory`, which holds a value of each invocation
/// for each of `values` and is not used where they do not meet there. The result is left in all lanes.
void combineLanes(IndexEmitter &b, const GpuRowTiling &tiling, const GpuRowPlace &place,
                  llvm::MutableArrayRef<mlir::Value> values, llvm::ArrayRef<mlir::Value> memory,
                  llvm::function_ref<IndexEmitter::Values(mlir::ValueRange lower, mlir::ValueRange upper)> combine);

} // namespace burn::compiler

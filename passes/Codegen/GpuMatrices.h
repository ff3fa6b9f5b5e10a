// Contractions by subgroups that multiply small matrices (VK_KHR_cooperative_matrix).
#pragma once

#include "passes/Codegen/GpuSharedOperand.h"

namespace burn::compiler {

/// How a contraction meets such subgroups. It follows from the contraction, its element type and the GPU alone, and so
/// does the order of sums, which is the GPU's own within a product of matrices.
struct GpuMatrixTiling {
  core::GpuMatrixShape shape;
  /// Invocations of a subgroup.
  int64_t subgroup = 0;
  /// Rows and lanes of a workgroup, and of each subgroup.
  int64_t groupRows = 0, groupLanes = 0, ownRows = 0, ownLanes = 0;
  /// Contracted steps between two visits of workgroup memory.
  int64_t steps = 0;
  /// Lanes of a subgroup's sums that go through workgroup memory at once when all are formed.
  int64_t stagedLanes = 0;
  /// Pieces of the contracted steps whose sums are formed apart, and the steps of each.
  int64_t slices = 1, sliceSteps = 0;

  int64_t subgroups() const { return groupRows / ownRows * (groupLanes / ownLanes); }
  int64_t invocations() const { return subgroups() * subgroup; }
};

/// The tiling of a contraction whose elements are of `kind`; nullopt where the GPU has no product for them, or where
/// the contraction fills no tile.
std::optional<GpuMatrixTiling> chooseGpuMatrixTiling(const Contraction &contraction, ir::ScalarKind kind,
                                                     const core::GpuTarget &gpu);

/// Emits the sums of a workgroup.
class GpuMatrixSums {
public:
  /// The operands come with their elements as they are in memory, of `kind`.
  GpuMatrixSums(IndexEmitter &b, const Contraction &contraction, const GpuMatrixTiling &tiling,
                const ContractionOperand &rows, const ContractionOperand &lanes, ir::ScalarKind kind);

  /// Sums the tile that begins at `row` and `lane`, over the slice of steps that begins at `from`.
  void sum(mlir::Value batch, mlir::Value row, mlir::Value lane, mlir::Value from);

  /// Calls `body` for the elements of an invocation, in loops that are open then: row and lane, the sum, and whether
  /// the result has such an element (null: always).
  void forEach(llvm::function_ref<void(mlir::scf::ForOp loop, mlir::Value row, mlir::Value lane, mlir::Value sum,
                                       mlir::Value exists)>
                   body);

private:
  using Values = IndexEmitter::Values;
  mlir::Value matrix(const SharedOperand &side, bool isRows, mlir::Value first, int64_t offset, int64_t step);

  IndexEmitter &b;
  const Contraction &contraction;
  const GpuMatrixTiling &tiling;
  mlir::Type element, sumType; // in registers
  SharedOperand rows, lanes;
  mlir::Value invocation, subgroupLane, subgroupNumber, ownRow, ownLane; // ownRow, ownLane: within the workgroup
  mlir::Value tileRow, tileLane;
  Values sums;
};

} // namespace burn::compiler

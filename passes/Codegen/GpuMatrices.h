// Contractions by subgroups that multiply small matrices (VK_KHR_cooperative_matrix).
#pragma once

#include "passes/Codegen/GpuContraction.h"

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
  struct Slot {
    ContractionOperand::Place place;
    mlir::Value step, exists, index; // `index` into the memory
  };
  /// An operand on its way through workgroup memory, in units of one element or of 16 bytes: lines of steps, one for
  /// each row or lane, or lines of rows or lanes, one for each step, as its memory runs.
  struct Side {
    const ContractionOperand &operand;
    LoopGroup group;
    int64_t extent;    // rows or lanes
    bool stepsAreFast; // along a line
    int64_t width = 1, leading = 0;
    mlir::Value memory = {};
    llvm::SmallVector<Slot> slots = {};
    mlir::Value active = {}; // whether the invocation has slots; null: always
  };

  Side makeSide(const ContractionOperand &operand, LoopGroup group, int64_t extent);
  void place(Side &side, mlir::Value batch, mlir::Value first);
  Values fetch(const Side &side, mlir::Value k);
  void keep(const Side &side, mlir::ValueRange units);
  mlir::Value matrix(const Side &side, mlir::Value first, int64_t offset, int64_t step);

  IndexEmitter &b;
  const Contraction &contraction;
  const GpuMatrixTiling &tiling;
  mlir::Type element, sumType; // in registers
  Side rows, lanes;
  mlir::Value invocation, subgroupLane, subgroupNumber, ownRow, ownLane; // ownRow, ownLane: within the workgroup
  mlir::Value tileRow, tileLane;
  Values sums;
};

} // namespace burn::compiler

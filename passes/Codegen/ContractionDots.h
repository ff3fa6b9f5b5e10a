// Products made of instructions that take several steps at once: pairs or fours of narrow elements, or whole squares of
// sums. Internals of the contraction generator.
#pragma once

#include "passes/Codegen/ContractionStreams.h"

#include <optional>

namespace burn::compiler {

/// The instruction's name as it stands in a tiling attribute; empty for None.
llvm::StringRef nameOf(DotInstruction instruction);
std::optional<DotInstruction> dotInstruction(llvm::StringRef name);

/// Whether the instruction holds 16 x 16 sums in a tile register.
inline bool usesTiles(DotInstruction instruction) {
  return instruction == DotInstruction::TileInt8 || instruction == DotInstruction::TileBFloat16;
}

/// Whether sums are those of the definition, bit by bit. Those of bf16 are not, but near it: pairs are added up first,
/// and subnormal numbers count as zero.
bool isExact(DotInstruction instruction);

/// Neighbouring steps that the instruction takes at once: two or four.
int64_t stepsOf(DotInstruction instruction);

/// Lanes of 32 bits that instructions take on this target: those of its widest vectors.
int64_t dotLanes(const CpuTargetInfo &target);

/// How the elements of a contraction enter an instruction.
struct DotRoles {
  /// Neighbouring steps that form one element of a panel, of 32 bits (stepsOf).
  int64_t group;
  /// Elements of panels: stored ones, or 16-bit integers made of 8-bit ones.
  ir::ScalarKind rows, lanes;
  /// Whether lanes are the instruction's unsigned operand.
  bool lanesFirst = false;
  /// Both operands are signed, or both unsigned: rows are moved by 128 to the other, and what this adds to each sum,
  /// which depends on lanes alone, is taken off in advance.
  bool movesRows = false;
};

/// Whether the target has the instruction and it computes sums of these kinds: exactly modulo 2^32 those of integers,
/// and those of bf16 as isExact says.
bool isDotComputable(DotInstruction instruction, const ContractionKinds &kinds, const CpuTargetInfo &target,
                     llvm::StringRef &why);

/// Requires isDotComputable.
DotRoles dotRoles(DotInstruction instruction, const ContractionKinds &kinds, bool lhsIsRows);

/// A tiling with the best instruction that the target has for elements of these kinds; nullopt where there is none, or
/// the plain kernel is better. Sums of bf16 count where `deterministic` is false.
std::optional<ContractionTiling> chooseDotTiling(const Contraction &contraction, const ContractionKinds &kinds,
                                                 const CpuTargetInfo &target, bool deterministic,
                                                 FixedOperand fixed = FixedOperand::None);

/// isTilingLegal for tilings with an instruction, whose vectors must be of dotLanes besides.
bool isDotTilingLegal(const Contraction &contraction, const ContractionTiling &tiling, llvm::StringRef &why);

/// Everything that follows from a contraction and its tiling. Sizes in scratch memory count elements of 32 bits.
struct DotLayout {
  DotLayout(const Contraction &contraction, const ContractionTiling &tiling);

  /// One loop each of rows, lanes and steps.
  Contraction contraction;
  ContractionTiling tiling;
  bool tiles;
  int64_t batchCount, rowCount, laneCount, stepCount;
  int64_t rowTasks, laneTasks, taskCount;
  /// Steps of a group, and groups of a panel; a panel for tiles holds whole squares of 16 groups.
  int64_t group, groups;
  /// Panels of one task, their rows and lanes, and the distance of groups of rows.
  int64_t panelRows, panelLanes, rowPitch, rowPanelCount, lanePanelCount;
  /// Panels of all rows and all lanes of a batch.
  int64_t allRowPanels, allLanePanels;
  /// Panels of lanes that are packed together: whole cache lines where lanes are neighbours in memory.
  int64_t panelsAtOnce;
  /// A panel of lanes ends with what sums begin with.
  int64_t rowPanelElements, lanePanelElements;
  /// Panels of lanes come from memory, and pass under few rows (isStreamed).
  bool streamsPanels;
  /// Squares of steps between two visits of a tile; all of them where there is one visit.
  int64_t squares, blockSquares;
  /// Rows that go through all lanes of a task before the next do: as many as the second-level cache holds beside these.
  int64_t sweptRows;
  /// Row pitch of sums in scratch: of one tile, or of the task where tiles are visited again.
  int64_t tilePitch;
  /// Element offsets in scratch.
  int64_t rowPanels, lanePanels, tile, config;
  int64_t scratchElements;

  bool isBlocked() const { return blockSquares < squares; }
};

/// Sides of a square of sums in tile registers, and groups of steps of its operands.
constexpr int64_t kSquare = 16;

/// An operand as its panels see it.
struct GroupSource {
  mlir::Value memref;
  /// Elements as they are stored, and in panels.
  ir::ScalarKind stored, packed;
  /// Offset of the first element of the batch.
  mlir::Value start;
  int64_t laneStride, stepStride, laneCount, stepCount;
  int64_t group;
  /// Adds 128 to each element of 8 bits.
  bool moves = false;
};

/// Where a panel goes.
struct GroupPanel {
  mlir::Value memref;
  /// Offset of the panel.
  mlir::Value base;
  /// Lanes of a vector of groups.
  int64_t vectorLanes;
  /// Distance of groups; those beyond the steps, up to `groups`, are zeros.
  int64_t pitch, groups;
  /// Squares of 16 lanes by 16 groups with groups running fastest, in place of lanes.
  bool turned = false;
  /// Lanes of one panel and the distance of panels, where several are written at once.
  int64_t lanes = 0, panelElements = 0;
};

/// Copies lanes [first, first + count) into a panel, or into several where neither lanes are turned nor steps run.
/// Lanes up to the next multiple of `vectorLanes` get values of no meaning.
void emitGroupPanel(IndexEmitter &b, const GroupSource &source, mlir::Value first, int64_t count,
                    const GroupPanel &panel);

/// Finished sums of a kernel with an instruction, in the type of the result. Where the instruction drops subnormal
/// numbers, so may this.
mlir::Value roundSums(mlir::OpBuilder &builder, mlir::Location loc, DotInstruction instruction,
                      const ContractionKinds &kinds, mlir::Value sums);

/// emitPanels for tilings with an instruction.
void emitDotPanels(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                   const ContractionTiling &tiling, const ContractionOperands &operands, bool rows, mlir::Value begin,
                   mlir::Value end);

/// emitContraction for tilings with an instruction.
void emitDotContraction(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                        const ContractionTiling &tiling, const ContractionOperands &operands, mlir::Value begin,
                        mlir::Value end, const ContractionEpilogue &epilogue);

} // namespace burn::compiler

#pragma once

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace burn::compiler {

struct CpuTargetInfo;

/// The four kinds of loops of a contraction.
enum class LoopGroup { Batch, Row, Lane, Contracted };

/// One loop of a contraction and what a step of it means to each tensor, in
/// elements. A tensor that a loop does not index has stride 0.
struct ContractionLoop {
  int64_t size = 1;
  int64_t rowStride = 0;
  int64_t laneStride = 0;
  int64_t outStride = 0;
  /// The output dimension that the loop walks, and by how many coordinates a
  /// step moves in it; -1 for contracted loops.
  int outDim = -1;
  int64_t outStep = 1;
};

/// An axis of the convolved operand whose coordinate may leave the tensor or
/// fall between the elements of a dilated one; such elements count as zero.
/// coordinate = offset + sum(index of a loop * step); the element exists where
/// 0 <= coordinate < (extent - 1) * dilation + 1 and dilation divides it.
struct WindowAxis {
  struct Term {
    LoopGroup group;
    unsigned loop;
    int64_t step;
  };
  int64_t extent;
  int64_t stride;
  int64_t dilation;
  int64_t offset;
  llvm::SmallVector<Term, 2> terms;
};

/// A dot or convolution as loops over flat tensors:
///
///   out[batch, row, lane] = sum over contracted of
///       rowsOperand[batch, row, contracted] * lanesOperand[batch, lane, contracted]
///
/// Lanes are the trailing dimensions of the output in memory, so that vectors
/// along them are contiguous there. The sum runs over the contracted loops in
/// their order, in one accumulator per element and one rounding per step (fused
/// multiply-add): the result depends on no tile, instruction set or thread. Two
/// leave that order: instructions for pairs of bf16, where results need not be
/// deterministic (ContractionTiling::dot), and GPUs, whose order follows from the
/// contraction and the GPU.
struct Contraction {
  llvm::SmallVector<ContractionLoop, 4> batch, rows, lanes, contracted;
  /// Element offset of each operand where all loops stand at 0.
  int64_t rowsBase = 0, lanesBase = 0;
  /// Whether the rows operand is the op's left-hand side.
  bool lhsIsRows = true;
  /// Checked axes of the left-hand side of a convolution.
  llvm::SmallVector<WindowAxis, 3> window;
  /// Elements of each tensor.
  int64_t rowsElements = 0, lanesElements = 0, outElements = 0;

  int64_t count(LoopGroup group) const;
  llvm::ArrayRef<ContractionLoop> loops(LoopGroup group) const;
};

/// Shapes and attributes of a dot_general; its result is
/// [batch, free dimensions of lhs, free dimensions of rhs].
struct DotGeometry {
  llvm::ArrayRef<int64_t> lhsShape, rhsShape;
  llvm::ArrayRef<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
};

/// Shapes and attributes of a conv. Dimension lists name, in order, batch,
/// feature and spatial dimensions (kernel: out feature, in feature, spatial).
struct ConvGeometry {
  llvm::ArrayRef<int64_t> lhsShape, rhsShape, outShape;
  llvm::ArrayRef<int64_t> lhsDims, rhsDims, outDims;
  llvm::ArrayRef<int64_t> strides, padLow, lhsDilation, rhsDilation;
  int64_t featureGroups = 1, batchGroups = 1;
};

/// Shapes must be static and agree as the op's verifier demands.
Contraction makeDotContraction(const DotGeometry &geometry);
Contraction makeConvContraction(const ConvGeometry &geometry);

/// Kinds of the elements of a contraction.
struct ContractionKinds {
  /// As they are stored.
  ir::ScalarKind lhs, rhs;
  /// In which they are multiplied and added up: f32 for narrower floats, 32 bits for narrower integers.
  ir::ScalarKind sum;
  /// Of the result, to which sums are rounded.
  ir::ScalarKind result;
  /// Whether more than a conversion becomes of an operand as it is read.
  bool computes = false;

  /// Whether an operand is converted as it is read.
  bool widens() const { return lhs != sum || rhs != sum; }
};

/// Instructions that multiply two or four neighbouring steps and add up their products
/// (passes/Codegen/ContractionDots).
enum class DotInstruction : uint8_t {
  None,
  /// Pairs of 16-bit integers; the sum of a pair is added by another instruction, or by the same.
  Pmaddwd,
  Vpdpwssd,
  /// Four 8-bit integers, unsigned by signed.
  Vpdpbusd,
  /// Pairs of bf16. Each pair is added up first and subnormal numbers count as zero.
  Vdpbf16ps,
  /// Squares of 16 x 16 sums at once (AMX).
  TileInt8,
  TileBFloat16,
};

/// How a contraction is cut: choices that affect speed and nothing else, but for `dot`: sums of bf16 depend on it.
struct ContractionTiling {
  /// Lanes of one vector.
  int64_t vectorLanes = 8;
  /// Register tile: rows x lanes (a multiple of vectorLanes).
  int64_t tileRows = 6, tileLanes = 16;
  /// Contracted steps between two visits of a tile; at least all of them when
  /// the contraction is not blocked.
  int64_t blockSteps = 0;
  /// Rows and lanes of one task.
  int64_t taskRows = 0, taskLanes = 0;
  /// Copies an operand into panels in the order the tile reads it.
  bool packRows = false, packLanes = false;
  /// The panels of an operand that is packed are there before the kernel runs: all of them, one after the other.
  bool readyRows = false, readyLanes = false;
  /// Lets vectors run along the rows and transposes when storing.
  bool exchange = false;
  /// Keeps the sums of a task in scratch and hands them to the epilogue in a loop of its own: a long
  /// epilogue is then emitted once, not for every vector of the tile.
  bool sweeps = false;
  /// The instruction that a kernel of several steps at once is made of; the blocks of steps are then those of this
  /// kernel, and operands are packed, but for rows that tile registers take as they are.
  DotInstruction dot = DotInstruction::None;

  friend bool operator==(const ContractionTiling &, const ContractionTiling &) = default;
};

/// The operand of an op that never changes, so that it may be packed before the kernel runs.
enum class FixedOperand : uint8_t { None, Lhs, Rhs };

/// Picks a tiling from shapes, the size of the elements that are added up, and target. `widens` says that
/// operands are stored narrower than that: an element that is used again is then packed, to be widened once.
ContractionTiling chooseContractionTiling(const Contraction &contraction, int64_t elementBytes,
                                          const CpuTargetInfo &target, bool widens = false,
                                          FixedOperand fixed = FixedOperand::None);

/// Whether the tiling fits the contraction; a tiling read from an attribute
/// may not. `why` says what is wrong.
bool isTilingLegal(const Contraction &contraction, const ContractionTiling &tiling, llvm::StringRef &why);

/// Number of independent tasks, which depends on shape and tiling alone.
int64_t contractionTaskCount(const Contraction &contraction, const ContractionTiling &tiling);

/// Elements of private scratch memory, 64-byte aligned, that one call over a
/// range of tasks needs; 0 when none.
/// They are of the type of sums.
int64_t contractionScratchElements(const Contraction &contraction, const ContractionTiling &tiling);

/// Elements, of the type of sums, of all panels of rows or lanes, as a tiling has them ready.
int64_t readyPanelElements(const Contraction &contraction, const ContractionTiling &tiling, bool rows);

/// Number of independent tasks in which those panels are packed.
int64_t packTaskCount(const Contraction &contraction, const ContractionTiling &tiling, bool rows);

/// The tiling with those operands ready that several tasks would pack again: they are best packed once before, by a
/// kernel of its own. With many threads rows are so too where tasks are fewer than these want.
ContractionTiling packedAhead(const Contraction &contraction, ContractionTiling tiling, bool manyThreads);

/// A finished vector of the output, contiguous in it.
struct OutputVector {
  mlir::Value value;
  /// vector<n x i1> of the lanes that exist; null when all do.
  mlir::Value mask;
  /// Element offset of the first lane in the output.
  mlir::Value offset;
  /// Indices over the batch, row and lane loops of the first lane.
  mlir::Value batch, row, lane;
  /// In place of `row`: an index of each row loop, for whom they are known.
  llvm::SmallVector<mlir::Value, 0> rows = {};
};

/// Consumes a finished vector, instead of the plain store into the output.
using ContractionEpilogue = std::function<void(mlir::OpBuilder &, mlir::Location, const OutputVector &)>;

/// What becomes of a loaded element or vector.
using ContractionRead = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)>;

/// Tensors of a contraction as flat memrefs.
struct ContractionOperands {
  mlir::Value lhs, rhs;
  /// May be null when an epilogue stores.
  mlir::Value out;
  /// Null when contractionScratchElements is 0.
  mlir::Value scratch;
  /// The panels of operands that the tiling has ready, of the type of sums; such an operand is null.
  mlir::Value rowPanels, lanePanels;
  /// Scratch memory holds, and an epilogue gets, elements of the type of sums.
  ContractionKinds kinds;
  /// How elements are computed as they are read, in place of the conversion to the type of sums; may be empty.
  ContractionRead readLhs = {}, readRhs = {};
};

/// Emits the loops over tasks [begin, end) at the insertion point. The element
/// type is f16, bf16, f32, f64 or an integer of 8 to 64 bits (wrapping). `ahead`
/// is called for vectors that `epilogue` will soon get, without a value: it may
/// ask for memory that the epilogue needs. Vectors of narrow instructions and
/// those swept from scratch memory come without.
void emitContraction(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                     const ContractionTiling &tiling, const ContractionOperands &operands, mlir::Value begin,
                     mlir::Value end, const ContractionEpilogue &epilogue = {}, const ContractionEpilogue &ahead = {});

/// Packs rows or lanes as the tiling has them ready: tasks [begin, end) of packTaskCount, from the operand's memory
/// into its panels. The other operand, `out` and `scratch` are not looked at.
void emitPanels(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                const ContractionTiling &tiling, const ContractionOperands &operands, bool rows, mlir::Value begin,
                mlir::Value end);

/// Loads, for an epilogue, the elements of a tensor that belong to a finished
/// vector. `strides` says per output dimension how far one coordinate moves in
/// the flat memref; 0 broadcasts. Lanes that do not exist read as zero.
mlir::Value loadForOutput(mlir::OpBuilder &builder, mlir::Location loc, const Contraction &contraction,
                          const OutputVector &vector, mlir::Value memref, llvm::ArrayRef<int64_t> strides);

/// Stores lanes that exist, contiguously at the vector's offset.
void storeOutput(mlir::OpBuilder &builder, mlir::Location loc, const OutputVector &vector, mlir::Value value,
                 mlir::Value memref);

} // namespace burn::compiler

#pragma once

#include "passes/Codegen/Contraction.h"
#include "passes/Codegen/IndexEmitter.h"

namespace burn::compiler {

// Internals of the contraction generator, shared by its files.

/// Swaps the roles of rows and lanes.
Contraction exchangeRoles(Contraction contraction);

/// Drops loops of size 1 and merges neighbours that every tensor and window
/// axis walks as one.
Contraction mergeLoops(Contraction contraction);

/// The contracted loops cut into blocks: loops before `level` stand still in a
/// block, loop `level` runs over `steps` indices (fewer in the last block), and
/// the loops within run in full.
struct StepBlocking {
  unsigned level = 0;
  int64_t steps = 1;
  /// Contracted steps of the largest block.
  int64_t capacity = 1;
  bool blocked = false;
};
StepBlocking blockSteps(llvm::ArrayRef<ContractionLoop> contracted, int64_t limit);

/// Quantities that move linearly with loops: element offsets, positions in a
/// panel, window coordinates. One stride per stream.
struct StreamLoop {
  /// -1 when `count` says how many.
  int64_t size;
  mlir::Value count;
  llvm::SmallVector<int64_t, 4> strides;
};

/// Merges neighbouring loops wherever all streams allow it. A merged loop whose
/// outer part is counted at run time multiplies that count.
void mergeStreams(IndexEmitter &b, llvm::SmallVectorImpl<StreamLoop> &loops);

/// The same where all sizes are static.
void mergeStaticStreams(llvm::SmallVectorImpl<StreamLoop> &loops);

/// The value of each stream at a linear index over loops of static size.
IndexEmitter::Values streamsAt(IndexEmitter &b, llvm::ArrayRef<StreamLoop> loops, llvm::ArrayRef<int64_t> start,
                               mlir::Value linear);

/// Emits the loop nest, outermost first; the body gets the streams' values.
IndexEmitter::Values
forEachStep(IndexEmitter &b, llvm::ArrayRef<StreamLoop> loops, mlir::ValueRange start, mlir::ValueRange init,
            llvm::function_ref<IndexEmitter::Values(mlir::ValueRange streams, mlir::ValueRange carried)> body);

/// A block of contracted steps at run time.
struct StepBlock {
  /// Indices of the loops that stand still.
  IndexEmitter::Values outer;
  /// First index and number of indices of the loop at the blocking's level.
  mlir::Value first, count;
  /// Whether no block comes before, or after; null where the block is the only one.
  mlir::Value isFirst, isLast;
  bool whole = false;
};

/// What becomes of elements as they are read.
struct Widening {
  ir::ScalarKind from, to;
  /// Does more than convert; null: converts.
  const ContractionRead *read = nullptr;
};

/// That of an operand; nullopt where it is stored in the type of sums.
std::optional<Widening> wideningOf(const ContractionOperands &operands, bool isLhs);

/// An operand as a panel sees it: lanes across, contracted steps along.
struct PanelSource {
  struct Axis {
    int64_t extent, stride, dilation;
    /// Coordinate where lanes and steps stand at 0.
    mlir::Value start;
  };
  mlir::Value memref;
  std::optional<Widening> widening;
  int64_t elements;
  /// Element offset where lanes and steps stand at 0.
  mlir::Value start;
  /// Streams: element offset, then the coordinate of each axis.
  llvm::SmallVector<StreamLoop> lanes, steps;
  llvm::SmallVector<Axis> axes;
};

/// Where panels of `lanes` lanes go: element (step, lane) of panel p stands at
/// base + p * panelElements + step * pitch + lane.
struct PanelTarget {
  mlir::Value memref;
  mlir::Value base;
  int64_t pitch;
  int64_t lanes;
  int64_t panelElements = 0;
};

/// Loops over the steps of a block for the given streams, the last of which
/// counts steps from the block's start. `starts` become the values at the
/// block's first step.
llvm::SmallVector<StreamLoop> blockLoops(IndexEmitter &b, llvm::ArrayRef<StreamLoop> steps, const StepBlock &block,
                                         IndexEmitter::Values &starts);

/// Copies lanes [first, first + count) of a block into panels, in vectors of
/// `vectorLanes`. Lanes up to the next multiple of that, past count or past the
/// panel's lanes, get finite values of no meaning. More than one panel is for
/// operands that are packed contiguously. `total` is the number of lanes of the
/// operand.
void emitPack(IndexEmitter &b, const PanelSource &source, const StepBlock &block, mlir::Value first, int64_t count,
              int64_t vectorLanes, int64_t total, const PanelTarget &target);

/// Whether panels of so many elements wait for memory while they pass under so many rows.
bool isStreamed(int64_t rows, int64_t panelElements);

/// Asks for `count` elements of panels that follow what lies at an index, so far behind it that they arrive in time:
/// prefetchers of processors stop at the end of each page, which a few steps take. It may lie beyond the panels.
void prefetchStream(IndexEmitter &b, mlir::Value panels, mlir::Value at, int64_t count);

/// Turns a square block in registers: lane j of vector i becomes lane i of vector j. As many vectors as each has lanes,
/// a power of two.
IndexEmitter::Values transposeSquare(IndexEmitter &b, IndexEmitter::Values rows);

/// How costly emitPack is.
enum class PackKind { Contiguous, Segments, Transposed, Gathered };
PackKind classifyPack(llvm::ArrayRef<StreamLoop> lanes, llvm::ArrayRef<StreamLoop> steps,
                      llvm::ArrayRef<PanelSource::Axis> axes, int64_t vectorLanes);

/// The streams of one operand over a group of loops: element offset, then one
/// coordinate per window axis where the operand is the convolved one.
llvm::SmallVector<StreamLoop> operandStreams(const Contraction &contraction, bool rowsOperand, LoopGroup group);

/// How an operand of a contraction would be packed.
PackKind packKindOf(const Contraction &contraction, bool rowsOperand, int64_t vectorLanes);

/// The type in which elements of a memref are multiplied and added up.
mlir::Type computeType(mlir::Value memref, const std::optional<Widening> &widening);

/// A loaded scalar or vector in that type.
mlir::Value widen(IndexEmitter &b, mlir::Value loaded, const std::optional<Widening> &widening);

/// Hands a finished vector to the epilogue, or rounds and stores it where there is none.
void finishOutput(IndexEmitter &b, const ContractionOperands &operands, const ContractionEpilogue &epilogue,
                  const OutputVector &vector);

/// Whether the operand has window axes.
inline bool isConvolved(const Contraction &contraction, bool rowsOperand) {
  return !contraction.window.empty() && contraction.lhsIsRows == rowsOperand;
}

} // namespace burn::compiler

// The parts of the row kernel builder; buildRowKernel (Kernel.h) is its use.
#pragma once

#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/Reduction.h"
#include "passes/Codegen/RowPlan.h"
#include "passes/Codegen/RowStrategy.h"

namespace burn::compiler {

/// Builds the phases of one row cluster.
class RowKernelBuilder {
public:
  RowKernelBuilder(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name, const CpuTargetInfo &target);

  mlir::FailureOr<KernelCode> build();

private:
  struct ReduceInfo {
    ir::ReduceOp op;
    Reduction reduction;
    int level;          // 1 + the number of sweeps that must come before
    mlir::Value source; // what it combines, over the domain
    int64_t scratchOffset = 0;
    // Of a turned reduction: where its results stand in the scratch memory, and the part of it that holds them.
    int64_t totalOffset = 0;
    mlir::Value totals = {};
  };
  struct ResultInfo {
    mlir::Value value;
    unsigned number;
    bool whole; // over the domain, not over the kept dims
    int level;  // sweeps that must come before
  };
  /// A costly value over the domain that several sweeps over a row need: the first one that computes
  /// it keeps it in a buffer on the stack.
  struct KeptValue {
    mlir::Value value;
    int sweep; // that stores it
    mlir::Value buffer;
  };
  /// The part of the outermost reduced dim that a sweep covers.
  struct Range {
    mlir::Value from, to;
  };
  /// Accumulators of one reduction, one value per group of lanes.
  using Accumulators = llvm::SmallVector<llvm::SmallVector<mlir::Value, 4>>;
  /// What happens at one vector of the innermost loop, with carried accumulators.
  using AtVector = llvm::function_ref<void(Accumulators &, unsigned group, int64_t lanes, mlir::Value mask)>;

  mlir::LogicalResult analyse();
  mlir::LogicalResult analyseReductions(llvm::SmallVectorImpl<int64_t> &reduceDims);
  void chooseKeptValues();
  /// How far ahead of an element of `bytes` a large operand is asked for, in elements.
  int64_t elementsAhead(int64_t bytes) const;
  /// Asks for a part of what the next row holds at the place of the vector at hand.
  void prefetchAhead(int sweep, unsigned group, int64_t width);
  /// Loads what earlier sweeps kept; stores what this one keeps.
  void recallKeptValues(int sweep);
  void storeKeptValues(int sweep);
  int levelOf(mlir::Value value);

  void buildRows(KernelCode &code);
  void buildBlocks(KernelCode &code);
  void buildCombination(KernelCode &code);

  /// Loops over units [begin, end) of the phase; `body` runs in the scope of a unit's kept indices,
  /// with the lanes of that unit where the last dim is kept.
  void forUnits(mlir::Value begin, mlir::Value end, llvm::function_ref<void(int64_t lanes, mlir::Value mask)> body);
  void rowScope(mlir::Value linear, mlir::Value laneBase, int64_t lanes, mlir::Value mask, mlir::Operation *loop,
                llvm::function_ref<void(int64_t, mlir::Value)> body);
  int64_t laneChunks() const;
  int64_t unitCount() const;
  /// Runs `body` with the lanes of a chunk of the last dim, that at `base`: of all lanes, or of those that are left at
  /// its end. `before` is the op before which values of the chunk stand.
  void forChunk(int64_t length, mlir::Value base, mlir::Operation *before,
                llvm::function_ref<void(int64_t lanes, mlir::Value mask, mlir::Operation *before)> body);

  //===-- Turned reductions (RowKernelTurned.cpp) ---------------------------------------------===//

  void analyseTurned(llvm::ArrayRef<int64_t> reduceDims);
  void buildTurned(KernelCode &code);
  /// A sweep over the domain that reduces; each task takes some lanes of the accumulators through it.
  void buildTurnedSweep(KernelCode &code, int level);
  /// Combines the lanes of a sweep's accumulators.
  void buildTurnedCombination(KernelCode &code, int level);
  /// A sweep that stores results over the domain behind the last reductions.
  void buildTurnedStores(KernelCode &code);
  /// Stores results over the kept dims behind it: they may take the place of what the sweeps read.
  void buildTurnedKept(KernelCode &code);
  void beginTurnedPhase(const llvm::Twine &suffix);
  void endTurnedPhase(KernelCode &code, int64_t tasks);
  /// Loops over the units [begin, end) * `perTask` of a phase, each a chunk of the last dim at one index of `outer` and
  /// at one of `parts`; dims are the emitter's.
  void forTurnedUnits(llvm::ArrayRef<unsigned> outer, int64_t parts, int64_t perTask,
                      llvm::function_ref<void(int64_t lanes, mlir::Value part)> body);
  /// Makes results of reductions below a level known.
  void recallTotals(int level);
  mlir::Value scratchPart(int64_t offset, int64_t count, mlir::Type element);

  /// All sweeps over the current row but those for a split phase, then the results.
  void emitRow(int64_t lanes, mlir::Value mask);
  Accumulators startAccumulators(int level, int64_t lanes);
  /// One pass over the reduced dims.
  Accumulators sweep(Accumulators initial, std::optional<Range> range, int64_t lanes, mlir::Value mask,
                     AtVector atVector);
  Accumulators sweepDims(unsigned dim, Accumulators carried, std::optional<Range> range, int64_t lanes,
                         mlir::Value mask, AtVector atVector);
  Accumulators sweepLanes(Accumulators carried, std::optional<Range> range, AtVector atVector);
  void accumulate(int level, Accumulators &accumulators, unsigned group, int64_t lanes, mlir::Value mask);
  /// The accumulator of a row (where the last dim is kept: of its lanes) from the groups of lanes.
  mlir::Value combineLanes(const Reduction &reduction, llvm::ArrayRef<mlir::Value> groups);
  void storeWhole(int level);
  /// Whether a result over the whole domain is stored past the caches.
  bool isStreamedRow(unsigned number) const;
  void storeKept();

  llvm::SmallVector<mlir::Value> flatten(const Accumulators &accumulators) const;
  Accumulators unflatten(mlir::ValueRange values, const Accumulators &like) const;
  mlir::Value scratchView(const ReduceInfo &reduce);

  mlir::OpBuilder &atModule;
  ir::FusedOp fused;
  std::string name;
  const CpuTargetInfo &target;
  mlir::Location loc;
  mlir::MLIRContext *context;
  mlir::Block &body;

  llvm::SmallVector<int64_t> domain, kept;
  RowStrategy strategy;
  RowPlan plan;
  /// Of turned reductions: the domain's dims in the order in which they are combined, empty for others; those that
  /// lanes of the accumulators go along, and how many elements these are; those around them, the outermost first; and
  /// kept ones but the last.
  llvm::SmallVector<int64_t> walk, laneDims;
  int64_t laneElements = 0;
  llvm::SmallVector<unsigned> outerReduced, outerKept;
  llvm::SmallVector<ReduceInfo, 2> reduces;
  llvm::SmallVector<ResultInfo, 4> results;
  llvm::DenseMap<mlir::Value, int> levels;
  int lastLevel = 0;
  bool extraSweep = false; // for results over the domain behind the last reductions
  llvm::SmallVector<KeptValue, 2> keptValues;
  int64_t scratchBytes = 0;

  llvm::SmallVector<int64_t> sizes;    // of the strategy's dims
  ElementIndex domainIndex, keptIndex; // over them
  mlir::AffineExpr keptPosition, wholePosition, rowPosition;
  llvm::SmallVector<int64_t> keptSizes; // of the strategy's kept dims
  int64_t vectorLanes = 16;

  // Of the phase being built.
  mlir::OpBuilder b;
  mlir::func::FuncOp phase;
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  bool failed = false;
};

} // namespace burn::compiler

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
    int level; // 1 + the number of sweeps that must come before
    int64_t scratchOffset = 0;
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
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  bool failed = false;
};

} // namespace burn::compiler

// Loops and lane counts that the kernel builders share.
#pragma once

#include "passes/Codegen/ElementEmitter.h"
#include "passes/Codegen/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace burn::compiler {

/// The entry arguments of a phase, by meaning.
struct PhaseArguments {
  mlir::Value begin, end;
  llvm::SmallVector<mlir::Value> operands, results;
  /// Null where the kernel has none.
  mlir::Value scratch, error;

  PhaseArguments(mlir::func::FuncOp func, ir::FusedOp fused, bool hasScratch, bool hasChecks);
};

/// Opens a loop and moves the builder into its body; `init` are the carried values.
mlir::scf::ForOp openLoop(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, mlir::Value to, mlir::Value step,
                          mlir::ValueRange init = {});
/// Yields the carried values and moves the builder behind the loop.
void closeLoop(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::ValueRange carried = {});

mlir::Value indexConstant(mlir::OpBuilder &b, mlir::Location loc, int64_t value);

/// The indices of a row-major position in a space of `sizes`.
llvm::SmallVector<mlir::Value> delinearize(mlir::OpBuilder &b, mlir::Location loc, mlir::Value position,
                                           llvm::ArrayRef<int64_t> sizes);
/// The same as expressions.
llvm::SmallVector<mlir::AffineExpr> delinearize(mlir::AffineExpr position, llvm::ArrayRef<int64_t> sizes);

/// Lanes (a divisor of 64) that fill four vector registers with the widest elements of the body; 1 on a scalar target.
int64_t wideLanes(mlir::Block &body, const CpuTargetInfo &target);

/// Lanes of a vector that holds so many elements under a mask. A power of two: code for other numbers puts vectors
/// together element by element.
inline int64_t maskedLanes(int64_t elements) {
  return std::max<int64_t>(16, int64_t(llvm::PowerOf2Ceil(uint64_t(elements))));
}

/// vector<count x i1> whose first `active` lanes are set; null where all are.
mlir::Value leadingMask(mlir::OpBuilder &b, mlir::Location loc, int64_t count, int64_t active);

/// Several loops, one after the other, over each block of a row.
struct LoopStages {
  /// Vectors of a block times their lanes.
  int64_t block = 0;
  unsigned count = 0;
  /// Runs in the scope of a vector of a stage; the value is where it stands in the block.
  llvm::function_ref<void(const LaneDim &, unsigned, mlir::Value)> atVector;
};

/// Covers the space of the emitter's first `sizes.size()` dims in a grid of tasks: rows, and pieces
/// of long ones, of at least `grain` elements. `atVector` runs in the scope of one vector along the
/// last dim: of `wide` lanes, or of 16 at the end of a row, where a mask may cut it. On a scalar
/// target (`wide` is 1) a task is one element, without lanes. With `stages` whole blocks are covered by these instead.
/// Returns the number of tasks.
int64_t forVectors(mlir::OpBuilder &b, mlir::Location loc, ElementEmitter &emitter, const PhaseArguments &arguments,
                   llvm::ArrayRef<int64_t> sizes, int64_t wide, int64_t grain,
                   llvm::function_ref<void(const LaneDim &)> atVector, const LoopStages *stages = nullptr);

inline int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace burn::compiler

// What follows a product or convolution in its kernel, on each finished vector of the result.
#pragma once

#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/ElementEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// Emits the ops of a burn.fused behind its root. Values that no vector changes are computed once, in front of `loop`,
/// which holds all vectors.
class ClusterEpilogue {
public:
  /// `func` has the signature of a kernel; `dot` is the instruction whose sums vectors hold. With `separateRows`
  /// vectors come with an index of each row loop.
  ClusterEpilogue(ir::FusedOp fused, mlir::Operation *root, const Contraction &contraction, mlir::func::FuncOp func,
                  mlir::Operation *loop, DotInstruction dot = DotInstruction::None, bool separateRows = false);
  // The emitter refers to the builder.
  ClusterEpilogue(const ClusterEpilogue &) = delete;
  ClusterEpilogue &operator=(const ClusterEpilogue &) = delete;

  /// Whether the ops are so many that they are emitted once, in a loop over sums in scratch memory, rather than for
  /// every vector of a tile.
  static bool isLong(mlir::Block &body);

  /// Computes and stores what follows on a vector. With `prefetches` it asks for the memory of the next row.
  void finish(mlir::OpBuilder &at, const OutputVector &vector, bool prefetches);
  /// Asks for the memory that a vector without a value will need.
  void announce(mlir::OpBuilder &at, const OutputVector &vector, int64_t lanes);

  /// False once an op had no code; a diagnostic has been given.
  bool isEmitted() const { return emitted_; }

private:
  void open(mlir::OpBuilder &at, const OutputVector &vector, int64_t lanes);
  void prefetch(mlir::AffineExpr place, int64_t lanes);

  ir::FusedOp fused_;
  mlir::Operation *root_;
  mlir::func::FuncOp func_;
  mlir::Operation *loop_;
  DotInstruction dot_;
  ContractionKinds kinds_;
  mlir::OpBuilder builder_;
  ElementEmitter emitter_;
  ElementIndex out_;
  mlir::AffineExpr position_, row_;
  bool emitted_ = true;
};

/// The buffers of a kernel's function that stand for its operands and results.
inline mlir::Value kernelBuffer(mlir::func::FuncOp func, unsigned number) { return func.getArgument(2 + number); }
inline mlir::Value kernelOperand(mlir::func::FuncOp func, mlir::Value argument) {
  return kernelBuffer(func, mlir::cast<mlir::BlockArgument>(argument).getArgNumber());
}

} // namespace burn::compiler

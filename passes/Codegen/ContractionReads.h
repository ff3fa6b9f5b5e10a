// What a product computes of an operand as it reads it.
#pragma once

#include "passes/Codegen/ContractionEpilogues.h"

namespace burn::compiler {

/// Emits the chain (readChain) through which the root of a burn.fused reads an operand, such as a dequantization. The
/// numbers in it are loaded once, in front of `loop`, which holds all reads.
class ClusterRead {
public:
  ClusterRead(ir::FusedOp fused, mlir::Operation *root, unsigned operand, mlir::func::FuncOp func,
              mlir::Operation *loop);
  // The emitter refers to the builder.
  ClusterRead(const ClusterRead &) = delete;
  ClusterRead &operator=(const ClusterRead &) = delete;

  /// The operand's elements from what was loaded of its source, a scalar or a vector; null, with a diagnostic, where an
  /// op has no code.
  mlir::Value emit(mlir::OpBuilder &at, mlir::Value loaded);

private:
  mlir::Value value_, source_;
  mlir::Operation *loop_;
  mlir::OpBuilder builder_;
  ElementEmitter emitter_;
};

} // namespace burn::compiler

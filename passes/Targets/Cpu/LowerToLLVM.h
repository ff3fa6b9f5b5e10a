#pragma once

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace burn::compiler {

/// Choices of the lowering to the LLVM dialect.
struct LowerToLLVMOptions {
  /// Gives every function a debug scope, so that the object carries line
  /// tables made from MLIR locations.
  bool debugInfo = false;
};

/// Appends the passes that take a module of func, scf, cf, arith, math, index,
/// affine, memref and vector ops to the LLVM dialect. Memrefs are passed as
/// bare pointers, so function arguments must be memrefs of static shape and
/// identity layout. Transcendental math ops are not expanded: what is still
/// `math.exp` here becomes a call of libm.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm, const LowerToLLVMOptions &options = {});

/// Registers the dialects the pipeline reads and the interfaces that
/// translation to LLVM IR needs.
void registerCpuCodegenDialects(mlir::DialectRegistry &registry);

} // namespace burn::compiler

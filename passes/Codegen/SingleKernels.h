// The generators of ops that make a kernel of their own.
#pragma once

#include "passes/Codegen/ElementEmitter.h"
#include "passes/Codegen/Kernel.h"

namespace burn::compiler {

mlir::FailureOr<KernelCode> buildArgReduceKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceOp op,
                                                 llvm::StringRef name, const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildWindowKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::ReduceWindowOp op,
                                              llvm::StringRef name, const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildArgWindowKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceWindowOp op,
                                                 llvm::StringRef name, const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildGatherKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::GatherOp op,
                                              llvm::StringRef name, const CpuTargetInfo &target);
/// Copies the operand, then applies the updates in row-major order; tasks hold elements that no
/// other task touches.
mlir::FailureOr<KernelCode> buildScatterKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::ScatterOp op,
                                               llvm::StringRef name, const CpuTargetInfo &target);

/// Stores elements of an op's results, one per result of the op, to the buffers of those that the
/// cluster yields: a result that nothing reads has none.
void storeYielded(ElementEmitter &emitter, ir::FusedOp fused, mlir::ValueRange elements, mlir::ValueRange buffers,
                  mlir::AffineExpr position);

} // namespace burn::compiler

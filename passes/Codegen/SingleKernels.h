// The generators of ops that make a kernel of their own.
#pragma once

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

} // namespace burn::compiler

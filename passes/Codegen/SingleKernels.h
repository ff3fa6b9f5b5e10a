// The generators of ops that make a kernel of their own.
#pragma once

#include "passes/Codegen/ElementEmitter.h"
#include "passes/Codegen/Kernel.h"

namespace burn::compiler {

/// Scores stay in the caches; their tiles are of one size for all targets, and so is the order of sums over keys.
mlir::FailureOr<KernelCode> buildAttentionKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::AttentionOp op,
                                                 llvm::StringRef name, const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildAttentionGradKernel(mlir::OpBuilder &atModule, ir::FusedOp fused,
                                                     ir::AttentionGradOp op, llvm::StringRef name,
                                                     const CpuTargetInfo &target);
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

/// The scatter that windowGradientOf found: zeros, and the update at the extremum of each window.
mlir::FailureOr<KernelCode> buildWindowGradientKernel(mlir::OpBuilder &atModule, ir::FusedOp fused,
                                                      ir::ScatterOp scatter, ir::ArgReduceWindowOp search,
                                                      llvm::StringRef name);

mlir::FailureOr<KernelCode> buildScanKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::ScanOp op,
                                            llvm::StringRef name, const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildLinearScanKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::LinearScanOp op,
                                                  llvm::StringRef name, const CpuTargetInfo &target);
/// Merge sort of each line, of blocks first and then of ever longer runs; every phase is spread over tasks.
mlir::FailureOr<KernelCode> buildSortKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::SortOp op,
                                            llvm::StringRef name, const CpuTargetInfo &target);
mlir::FailureOr<KernelCode> buildTopkKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::TopkOp op,
                                            llvm::StringRef name, const CpuTargetInfo &target);
/// Counts in blocks of a fixed length, then writes from where each block begins.
mlir::FailureOr<KernelCode> buildNonzeroKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::NonzeroOp op,
                                               llvm::StringRef name, const CpuTargetInfo &target);

/// Stores elements of an op's results, one per result of the op, to the buffers of those that the
/// cluster yields: a result that nothing reads has none.
void storeYielded(ElementEmitter &emitter, ir::FusedOp fused, mlir::ValueRange elements, mlir::ValueRange buffers,
                  mlir::AffineExpr position);

} // namespace burn::compiler

// Generators of kernels for GPUs. They make functions as those of Kernel.h do: one task is one invocation, or a
// workgroup. Elementwise and single clusters share the generators of CPUs, on a scalar target; these are the others.
#pragma once

#include "passes/Codegen/Kernel.h"
#include "runtime/Core/GpuTarget.h"

namespace burn::compiler {

/// Element code of one invocation of a GPU, which has to outlive it.
CpuTargetInfo scalarTarget(const core::GpuTarget &gpu);

/// How many steps of a walk an invocation takes; a longer walk is cut into kernels that run one after the other. Half
/// of what the GPU iterates, since a step may hold short loops of its own.
int64_t mostSteps(const core::GpuTarget &gpu);

/// A row cluster: the invocations of a workgroup (one invocation where rows are short) combine the elements of a row
/// and then do what follows on it; where there are few rows, blocks of them, which a second kernel combines. The order
/// depends on the domain, the reduced dims and the GPU alone, so a reduction has the same bits in any cluster.
mlir::FailureOr<KernelCode> buildGpuRowKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name,
                                              const core::GpuTarget &gpu);

/// The place of an extremum along an axis, by the invocations of a workgroup as in a row; which are compared first does
/// not matter.
mlir::FailureOr<KernelCode> buildGpuArgReduceKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::ArgReduceOp op,
                                                    llvm::StringRef name, const core::GpuTarget &gpu);

/// A scan: each lane of a line combines a stretch of it, lanes and blocks take over what stands before theirs. The
/// order depends on the shape, the axis and the GPU alone.
mlir::FailureOr<KernelCode> buildGpuScanKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, ir::ScanOp op,
                                               llvm::StringRef name, const core::GpuTarget &gpu);

/// A product or convolution with its epilogue, by tiles through workgroup memory. An element is a sum of chains of
/// multiplications and additions over the contracted index, each rounded, in an order that depends on the contraction
/// and the GPU alone; where there are few elements with long sums, slices of these are formed apart and then combined.
mlir::FailureOr<KernelCode> buildGpuContractionKernel(mlir::OpBuilder &atModule, ir::FusedOp fused,
                                                      llvm::StringRef name, const core::GpuTarget &gpu);

} // namespace burn::compiler

// Generators of kernels for GPUs. They make functions as those of Kernel.h do: one task is one invocation. Elementwise
// and single clusters share the generators of CPUs, on a scalar target; these are the others.
#pragma once

#include "passes/Codegen/Kernel.h"

namespace burn::compiler {

/// Element code of one invocation of a GPU.
CpuTargetInfo scalarTarget();

/// A row cluster: an invocation combines the elements of one row in row-major order, and then does what follows on it.
/// The order depends on nothing else, so a reduction has the same bits in any cluster.
mlir::FailureOr<KernelCode> buildGpuRowKernel(mlir::OpBuilder &atModule, ir::FusedOp fused, llvm::StringRef name);

/// A product or convolution with its epilogue: an invocation forms one element as one chain of multiplications and
/// additions over the contracted index, each rounded.
mlir::FailureOr<KernelCode> buildGpuContractionKernel(mlir::OpBuilder &atModule, ir::FusedOp fused,
                                                      llvm::StringRef name);

} // namespace burn::compiler

// Kernels that find their memory by address instead of by descriptor.
#pragma once

#include "runtime/Core/GpuTarget.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace burn::compiler {

/// Attributes of a spirv.module whose kernel takes addresses: how (an integer, core::GpuArguments), and the push
/// constants behind them, in words.
inline constexpr llvm::StringLiteral kArgumentsAttr = "burn.arguments", kWordsAttr = "burn.words";

/// Whether the kernel of a module is to take addresses on a GPU. One of matrices is not.
bool wantsAddresses(mlir::spirv::ModuleOp module, const core::GpuTarget &target);

/// Replaces the storage buffers of a module with one kernel by pointers into physical memory: their addresses come as
/// push constants in the order of the bindings, before the words that the kernel takes otherwise; where they do not fit
/// into what the GPU has of push constants, in a table whose address is the only one pushed. Each access says how it is
/// aligned.
mlir::LogicalResult takeAddresses(mlir::spirv::ModuleOp module, const core::GpuTarget &target);

} // namespace burn::compiler

// Stores past the caches.
#pragma once

#include "passes/Codegen/Kernel.h"

namespace burn::compiler {

/// Results from this size on leave the caches before anybody reads them: storing past the caches saves reading each
/// line first. (Measured: a copy of 256 MiB takes two thirds of the time, rms_norm of 32 MiB 57 percent.)
inline constexpr int64_t kStreamedBytes = 32 << 20;

/// Whether result `number` is streamed: a large new buffer, written in whole vectors at aligned places, in loops over
/// `sizes` whose last one the vectors run along.
bool isStreamed(ir::FusedOp fused, unsigned number, llvm::ArrayRef<int64_t> sizes, const CpuTargetInfo &target);

/// Other threads see what was streamed when this one says that it is done.
void emitStreamFence(mlir::OpBuilder &b, mlir::Location loc);

} // namespace burn::compiler

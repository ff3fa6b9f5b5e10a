#pragma once

#include "passes/Graph/Passes.h"

namespace burn::compiler {

/// burn-fuse that merges no kernel beyond `mostBuffers` buffers, as a GPU binds them; 0: any number.
std::unique_ptr<mlir::Pass> createFuse(const FuseOptions &options, unsigned mostBuffers);

} // namespace burn::compiler

// The C header that goes with a compiled object.
#pragma once

#include "passes/Pipelines/Compile.h"

namespace burn::compiler {

/// Declares the entry point `<symbol>_run` and an inline function `<symbol>` with one parameter per
/// argument, per result and for the arena. `undefined` are the symbols that the object expects.
std::string makeHeader(const core::Plan &plan, llvm::StringRef symbol, llvm::ArrayRef<std::string> undefined);

} // namespace burn::compiler

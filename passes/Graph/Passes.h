// Passes from burn IR to burn IR.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {

/// Stages of a compilation, in order (see burn-verify-stage).
enum class Stage { Differentiated, Simplified, Decomposed, Fused, Planned, Lowered };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Graph/Passes.h.inc"

} // namespace burn::compiler

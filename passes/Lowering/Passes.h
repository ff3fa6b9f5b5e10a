// Passes from planned burn functions to code.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Lowering/Passes.h.inc"

} // namespace burn::compiler

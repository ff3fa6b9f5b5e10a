// Passes that decide how code is generated.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Codegen/Passes.h.inc"

} // namespace burn::compiler

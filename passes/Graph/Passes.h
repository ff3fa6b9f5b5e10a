// Passes from burn IR to burn IR.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Graph/Passes.h.inc"

} // namespace burn::compiler

// Passes that differentiate.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace burn::compiler {

/// Expands every burn.grad of a function (see burn-differentiate). Failures are diagnosed.
llvm::LogicalResult differentiate(mlir::func::FuncOp function);

#define GEN_PASS_DECL
#include "passes/Autodiff/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Autodiff/Passes.h.inc"

} // namespace burn::compiler

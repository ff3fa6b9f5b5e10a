// What the tuning of products and convolutions is made of.
#pragma once

#include "passes/Codegen/ContractionOps.h"

#include "dialects/Burn/Burn.h"

#include <string>

namespace burn::compiler {

/// Describes a contraction within a kernel: TunableKernel::key.
std::string contractionKey(mlir::Operation *op, const Contraction &contraction, const ContractionKinds &kinds);

/// The kernel alone as a program, with an attribute on `op`, which is the kernel or in its body. Data of one repeated
/// element stay inside; all other inputs are arguments.
std::string kernelProgram(ir::FusedOp fused, mlir::Operation *op, llvm::StringRef attributeName,
                          mlir::Attribute configuration);

} // namespace burn::compiler

// What the tuning of products and convolutions is made of.
#pragma once

#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/Tuning.h"

#include "dialects/Burn/Burn.h"

#include <string>

namespace burn::compiler {

/// Describes a contraction within a kernel: TunableKernel::key.
std::string contractionKey(mlir::Operation *op, const Contraction &contraction, const ContractionKinds &kinds);

/// Does something to a kernel and an op, which is the kernel or in its body.
using KernelEdit = llvm::function_ref<void(ir::FusedOp fused, mlir::Operation *op)>;

/// The kernel alone as a program, after an edit of its copy. Data of one repeated element stay inside; all other inputs
/// are arguments.
std::string kernelProgram(ir::FusedOp fused, mlir::Operation *op, KernelEdit edit);

/// How another order of a product's sums is checked. `apply` makes the kernel in another way; `fused` and `product`
/// outlive the functions. Requires isSeparable.
ProductCheck productCheck(ir::FusedOp fused, ir::DotGeneralOp product,
                          std::function<void(ir::FusedOp, mlir::Operation *, llvm::StringRef configuration)> apply);

} // namespace burn::compiler

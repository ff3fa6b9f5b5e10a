// Values that regions of control flow see as their arguments.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// The operand of a branch or loop that an argument of its region is in every run of the region; null for the index and
/// the carried values of loops, and for arguments of other regions.
mlir::Value invariantSource(mlir::BlockArgument argument);

/// The value as far outside of branches and loops as it is the same.
mlir::Value outermost(mlir::Value value);

/// The same of the value whose buffer holds this one.
mlir::Value outermostBuffer(mlir::Value value);

/// Makes a value of a block around it one that `block` may use: the operand of each branch or loop in between, and the
/// argument of its regions. `block` is that of a function, branch or loop.
mlir::Value passInto(mlir::Value value, mlir::Block *block);

/// Drops operands of branches and loops that none of their regions uses.
void dropUnusedInvariants(mlir::func::FuncOp func);

} // namespace burn::compiler

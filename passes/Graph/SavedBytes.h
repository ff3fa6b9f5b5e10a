// What a training step keeps from its forward pass for the backward pass.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// Bytes of the buffers that kernels of the forward pass write and kernels of the backward pass read, each counted
/// once; arguments of the function are no such buffers. A kernel is part of the backward pass where all of its
/// products, reductions and the like are, or, if it has none, all of its arithmetic, or all of its data movement:
/// burn-differentiate marks the ops that it makes by their locations. Of a fused function.
int64_t savedBytes(mlir::func::FuncOp func);

} // namespace burn::compiler

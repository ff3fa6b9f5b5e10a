#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace burn::compiler {

/// Elements of a type that a GPU loads or stores at once: 16 bytes, but no more than four.
int64_t gpuVectorLanes(mlir::Type memoryType);

/// Lets a function access its buffers by short vectors: an argument whose elements are all loaded or all stored as
/// neighbours that one vector holds becomes a buffer of vectors. Others stay as they are.
void accessByVectors(mlir::func::FuncOp func);

} // namespace burn::compiler

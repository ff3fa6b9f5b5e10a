// What the invocations of a workgroup share on a GPU.
#pragma once

#include "mlir/IR/Builders.h"

namespace burn::compiler {

/// Workgroup memory for `count` values of a type as it is in registers; narrow integers take 32 bits each.
mlir::Value allocateShared(mlir::OpBuilder &b, mlir::Location loc, int64_t count, mlir::Type registerType);

/// A value out of such memory, and one into it.
mlir::Value loadShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory, mlir::Value index,
                       mlir::Type registerType);
void storeShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value memory, mlir::Value index);

/// Bytes that `allocateShared` takes.
int64_t sharedBytes(int64_t count, mlir::Type registerType);

/// Waits for all invocations of the workgroup, which must all come here. What they stored in workgroup memory is seen
/// behind it.
void workgroupBarrier(mlir::OpBuilder &b, mlir::Location loc);

} // namespace burn::compiler

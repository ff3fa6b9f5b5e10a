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

/// The place of an invocation in a workgroup that is made of whole subgroups: those of a subgroup are neighbours.
struct SubgroupPlace {
  mlir::Value invocation, subgroup, lane;
};
SubgroupPlace placeInSubgroup(mlir::OpBuilder &b, mlir::Location loc, int64_t subgroupSize);

/// What the invocation of the subgroup has whose lane is the own one with `mask` flipped, or `lane`. All invocations of
/// the subgroup must come here.
mlir::Value shuffleFlipped(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, int64_t mask,
                           int64_t subgroupSize);
mlir::Value shuffleFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value lane,
                        int64_t subgroupSize);

} // namespace burn::compiler

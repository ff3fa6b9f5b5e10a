// Random well-typed programs.
#pragma once

#include "test/unit/programs/ProgramBuilder.h"
#include "test/unit/programs/Values.h"

namespace burn::test {

struct RandomProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Tensors arguments;
};

/// A program of 3 to 25 ops, now and then of up to 100, over a few common shapes, with values that are read several
/// times, constants, host scalars, donated arguments, several results, and in part gradients. Equal seeds give equal
/// programs.
RandomProgram makeRandomProgram(mlir::MLIRContext &context, uint64_t seed);

/// A program of f64 ops that are smooth at its arguments, which returns one scalar.
RandomProgram makeSmoothProgram(mlir::MLIRContext &context, uint64_t seed);

/// The smallest program made from parts of `program` for which `fails` holds, as far as leaving out results and
/// replacing ops by arguments of their value leads there. `program` has no burn.grad.
RandomProgram reduceProgram(const RandomProgram &program,
                            llvm::function_ref<bool(mlir::ModuleOp, const Tensors &)> fails);

} // namespace burn::test

// The comparison of compiled programs with the reference interpreter.
#pragma once

#include "tools/burn-fuzz/ProgramBuilder.h"

namespace burn::fuzz {

/// A copy of the program that returns every result of every op, in program order.
mlir::OwningOpRef<mlir::ModuleOp> returnEverything(mlir::ModuleOp module);

/// Compares each op with the interpreter on the operands that the compiled program computed: `values` are the results
/// of all ops of `function`, as a compiled `returnEverything` gives them. Returns a line for each op that is outside of
/// its bound. What burn.undef gives does not count.
std::vector<std::string> compareOpByOp(mlir::func::FuncOp function, std::span<const ir::HostTensor> arguments,
                                       std::span<const ir::HostTensor> values);

/// What the program returns, picked from the results of all its ops.
Tensors resultsFrom(mlir::ModuleOp module, const Tensors &arguments, const Tensors &values);

/// Names the results that differ in a bit, but for the bits of a NaN.
std::vector<std::string> compareBits(std::span<const ir::HostTensor> expected, std::span<const ir::HostTensor> actual);

} // namespace burn::fuzz

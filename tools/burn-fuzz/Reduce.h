// Reduction of a program that fails.
#pragma once

#include "tools/burn-fuzz/Program.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace burn::fuzz {

/// The smallest program made from parts of `program` for which `fails` holds, as far as leaving out results, returning
/// operands in place of results, replacing ops by arguments of their value, and passing an operand on in place of a
/// result lead there. `program` has no
/// burn.grad.
Program reduceProgram(const Program &program, llvm::function_ref<bool(const Program &)> fails);

} // namespace burn::fuzz

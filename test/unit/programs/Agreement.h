// Whether a program is compiled right: unfused = interpreter op by op within bounds, fused = unfused bit for bit.
#pragma once

#include "test/unit/programs/ProgramBuilder.h"

namespace burn::test {

/// Compiles and runs a program in both ways; says what is wrong, or nothing. `module` has no burn.grad. The code is for
/// this processor, or for x86-64-v3.
std::string findFailure(mlir::ModuleOp module, const Tensors &arguments, bool onHost);

} // namespace burn::test

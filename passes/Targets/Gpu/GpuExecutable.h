// From SPIR-V modules and launches to the plan of a GPU executable.
#pragma once

#include "runtime/Core/GpuPlan.h"

#include "mlir/IR/BuiltinOps.h"

namespace burn::compiler {

/// The executable of a module that burn-gpu-to-spirv left; `plan` says what arguments and results are. The module is
/// left as it was.
core::Expected<core::GpuPlan> makeGpuPlan(mlir::ModuleOp module, const core::Plan &plan);

} // namespace burn::compiler

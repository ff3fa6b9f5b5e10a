// From SPIR-V modules and launches to the plan of a GPU executable.
#pragma once

#include "runtime/Core/GpuPlan.h"

#include "mlir/IR/BuiltinOps.h"

namespace burn::compiler {

/// The executable of a module that burn-gpu-to-spirv left; `plan` says what arguments and results are. The module is
/// left as it was. Its SPIR-V is checked if `validate` says so.
core::Expected<core::GpuPlan> makeGpuPlan(mlir::ModuleOp module, const core::Plan &plan, bool validate);

} // namespace burn::compiler

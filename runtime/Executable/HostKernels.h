// The kernels of the host that compiled programs may call.
#pragma once

#include "runtime/Core/Executable.h"

#include <burn/abi.h>

namespace burn::runtime {

/// Runs a kernel of this process on buffers, the operands' before the results'. An error where none of that name and
/// version is registered, and where the kernel fails.
/// Those of oneDNN run their loops with `loops`.
core::Status callHostKernel(const core::PlanHostCall &call, void *const *buffers, size_t count,
                            const burn_rt &loops) noexcept;

} // namespace burn::runtime

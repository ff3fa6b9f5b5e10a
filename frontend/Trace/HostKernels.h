// What functions on tensors say to a kernel of the host that calls them.
#pragma once

#include <string_view>

namespace burn::trace {

/// Throws where a kernel of the host runs on the calling thread: what called the kernel holds locks that recording and
/// reading need. `name` is the function's.
void refuseInsideHostKernel(std::string_view name);

} // namespace burn::trace

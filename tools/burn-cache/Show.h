#pragma once

#include <burn/cache.h>

#include <string>

namespace burn::tools {

/// An entry as text: arguments, results and kernels of its plan; of one for a GPU its steps, and its shaders as
/// assembly of SPIR-V. Throws burn::Error where the code is not what the plan says.
std::string show(const CacheEntryContents &entry);

} // namespace burn::tools

// How much memory of the host there is to use.
#pragma once

#include "runtime/Core/Status.h"

namespace burn::core {

/// BURN_MEMORY_LIMIT (bytes, with an optional K, M or G), else the memory of the machine or of its control group.
int64_t hostMemoryLimit();

/// OutOfMemory, naming the size, where `bytes` are more than the limit or than the system grants. Up to 16 MiB neither
/// is asked.
Status checkHostMemory(__int128 bytes);

} // namespace burn::core

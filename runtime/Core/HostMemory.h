// How much memory of the host there is to use.
#pragma once

#include "runtime/Core/Status.h"

namespace burn::core {

/// BURN_MEMORY_LIMIT (bytes, with an optional K, M or G), an error where it is set to anything else; without it or
/// where it is 0 the memory of the machine or of its control group.
Expected<int64_t> hostMemoryLimit();

/// OutOfMemory, naming the size, where `bytes` are more than the limit or than the system grants. Up to 16 MiB neither
/// is asked.
Status checkHostMemory(__int128 bytes);

} // namespace burn::core

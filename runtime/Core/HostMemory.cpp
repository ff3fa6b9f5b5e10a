#include "runtime/Core/HostMemory.h"

#include "runtime/Core/ByteSize.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

namespace burn::core {

Expected<int64_t> hostMemoryLimit() {
  if (const char *text = std::getenv("BURN_MEMORY_LIMIT"); text && *text) {
    const std::optional<int64_t> bytes = parseByteSize(text);
    if (!bytes)
      return Status::invalid("BURN_MEMORY_LIMIT: expects bytes, with an optional K, M or G, got \"" +
                             std::string(text) + "\"");
    if (*bytes)
      return *bytes;
  }
  // Linux grants more memory than there is and ends the process at the first touch, so the limit is set here.
  int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (std::FILE *file = std::fopen("/sys/fs/cgroup/memory.max", "re")) {
    long long group = 0;
    if (std::fscanf(file, "%lld", &group) == 1 && group > 0)
      bytes = std::min<int64_t>(bytes, group);
    std::fclose(file);
  }
  return std::max<int64_t>(bytes, 0);
}

Status checkHostMemory(__int128 bytes) {
  // Most requests are small, and neither the limit nor the system is asked about them.
  constexpr __int128 small = 1 << 24;
  if (bytes <= small)
    return Status::ok();
  static const Expected<int64_t> known = hostMemoryLimit();
  if (!known)
    return known.status();
  const int64_t limit = *known;
  constexpr __int128 most = INT64_MAX;
  const auto size = static_cast<int64_t>(std::min(bytes, most));
  bool fits = !limit || size <= limit;
  if (fits) {
    // Not touched, so it costs no memory. Compilers leave out a malloc whose block nobody uses.
    void *block = mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fits = block != MAP_FAILED;
    if (fits)
      munmap(block, static_cast<size_t>(size));
  }
  if (fits)
    return Status::ok();
  return Status::error(ErrorCode::OutOfMemory, "out of memory: cannot allocate " + std::to_string(size) +
                                                   " bytes (limit " + std::to_string(limit) + ")");
}

} // namespace burn::core

#include <burn/train.h>

#include <cstdio>

namespace burn {

int64_t peak_memory_bytes() {
  std::FILE *status = std::fopen("/proc/self/status", "re");
  if (!status)
    return 0;
  char line[256];
  long long kibibytes = 0;
  while (std::fgets(line, sizeof line, status))
    if (std::sscanf(line, "VmHWM: %lld kB", &kibibytes) == 1)
      break;
  std::fclose(status);
  return static_cast<int64_t>(kibibytes) * 1024;
}

} // namespace burn

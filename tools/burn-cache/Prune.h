// Which entries of the kernel cache go.
#pragma once

#include <burn/cache.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace burn::tools {

struct PruneOptions {
  /// Bytes of all entries that stay, the most recently used ones.
  std::optional<uint64_t> size;
  /// Entries that were not used for so many seconds go.
  std::optional<int64_t> age;
  /// Those go that are a miss whatever is asked for: damaged, or made by another toolchain.
  bool unusable = false;
};

/// "30d", "12h", "45m" or "10s" in seconds; nullopt for other text.
std::optional<int64_t> parseAge(const std::string &text);

/// The entries to be removed at the time `now`, in seconds since the epoch, those used longest ago first.
std::vector<CacheEntryInfo> entriesToPrune(std::vector<CacheEntryInfo> entries, const PruneOptions &options,
                                           int64_t now);

} // namespace burn::tools

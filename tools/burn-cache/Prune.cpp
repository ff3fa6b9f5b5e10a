#include "tools/burn-cache/Prune.h"

#include <algorithm>
#include <charconv>

namespace burn::tools {

std::optional<int64_t> parseAge(const std::string &text) {
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 0 || text.data() + text.size() - end != 1)
    return std::nullopt;
  int64_t unit = 0;
  switch (*end) {
  case 's':
    unit = 1;
    break;
  case 'm':
    unit = 60;
    break;
  case 'h':
    unit = 3600;
    break;
  case 'd':
    unit = 86400;
    break;
  default:
    return std::nullopt;
  }
  if (count > INT64_MAX / unit)
    return std::nullopt;
  return count * unit;
}

std::vector<CacheEntryInfo> entriesToPrune(std::vector<CacheEntryInfo> entries, const PruneOptions &options,
                                           int64_t now) {
  std::sort(entries.begin(), entries.end(), [](const CacheEntryInfo &a, const CacheEntryInfo &b) {
    return a.last_use != b.last_use ? a.last_use < b.last_use : a.file < b.file;
  });
  std::vector<CacheEntryInfo> pruned;
  std::vector<CacheEntryInfo> left;
  uint64_t bytes = 0;
  for (CacheEntryInfo &entry : entries) {
    const bool isOld = options.age && now - entry.last_use > *options.age;
    const bool isUseless = options.unusable && entry.state != CacheEntryState::Sound;
    if (!isOld && !isUseless)
      bytes += entry.bytes;
    (isOld || isUseless ? pruned : left).push_back(std::move(entry));
  }
  if (options.size)
    for (CacheEntryInfo &entry : left) {
      if (bytes <= *options.size)
        break;
      bytes -= entry.bytes;
      pruned.push_back(std::move(entry));
    }
  return pruned;
}

} // namespace burn::tools

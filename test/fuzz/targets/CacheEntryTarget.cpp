// Fuzzes the reader of cache entries and of the plans in them.
#include "runtime/Cache/CacheEntry.h"
#include "runtime/Core/Executable.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include <xxhash.h>

using namespace burn;

namespace {

// The end of an entry: 16 bytes of checksum over all that stands before them, and 8 of a magic number.
constexpr size_t kEnd = 24;

// Puts in the checksum that fits, without which no change would get past it.
std::vector<std::byte> withChecksum(std::span<const std::byte> bytes) {
  std::vector<std::byte> entry(bytes.begin(), bytes.end());
  if (entry.size() < kEnd)
    return entry;
  const size_t checked = entry.size() - kEnd;
  const XXH128_hash_t sum = XXH3_128bits(entry.data(), checked);
  std::memcpy(entry.data() + checked, &sum.high64, 8);
  std::memcpy(entry.data() + checked + 8, &sum.low64, 8);
  return entry;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  (void)runtime::parseEntry(bytes).isOk();
  const std::vector<std::byte> sound = withChecksum(bytes);
  const core::Expected<runtime::CacheEntry> entry = runtime::parseEntry(sound);
  if (!entry)
    return 0;
  // Its parts make the same entry.
  std::vector<std::byte> again(entry->elf.begin(), entry->elf.end());
  const std::vector<std::byte> trailer = runtime::makeTrailer(*entry);
  again.insert(again.end(), trailer.begin(), trailer.end());
  if (again != sound)
    std::abort();
  (void)core::parsePlan(entry->plan).isOk();
  return 0;
}

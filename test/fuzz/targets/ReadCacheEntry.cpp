#include "runtime/Cache/CacheEntry.h"
#include "runtime/Compiler/PlanKey.h"
#include "runtime/Core/Executable.h"
#include "runtime/Core/GpuPlan.h"
#include "test/fuzz/targets/Targets.h"

#include <algorithm>
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

std::string fuzz::readCacheEntry(std::span<const std::byte> bytes) {
  (void)runtime::parseEntry(bytes).isOk();
  const std::vector<std::byte> sound = withChecksum(bytes);
  const core::Expected<runtime::CacheEntry> entry = runtime::parseEntry(sound);
  if (!entry)
    return "";
  std::vector<std::byte> again(entry->elf.begin(), entry->elf.end());
  const std::vector<std::byte> trailer = runtime::makeTrailer(*entry);
  again.insert(again.end(), trailer.begin(), trailer.end());
  if (again != sound)
    return "the parts of the entry make another one";
  const core::Expected<core::Plan> plan = core::parsePlan(entry->plan);
  if (plan && !std::ranges::equal(core::serialize(*plan), entry->plan))
    return "the plan is written as other bytes than it was read from";
  if (core::isGpuPlan(entry->elf)) {
    const core::Expected<core::GpuPlan> code = core::parseGpuPlan(entry->elf);
    if (code && !std::ranges::equal(core::serialize(*code), entry->elf))
      return "the GPU plan is written as other bytes than it was read from";
  }
  const core::Expected<runtime::PlanKeyParts> key = runtime::parsePlanKey(entry->key);
  if (key && key->program.size() > entry->key.size())
    return "the program is larger than the key that it stands in";
  return "";
}

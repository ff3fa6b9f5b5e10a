// The bytes of one cache entry:
//
//   ELF shared object | plan | key | toolchain files | footer
//
// The loader reads an ELF file from its front and ignores what follows, so the entry is mapped as it stands. The
// footer, of fixed size and at the end, tells the sizes of the parts and holds the XXH3-128 checksum of every byte
// before it and of its own other fields. All numbers are little-endian.
#pragma once

#include "runtime/Cache/Toolchain.h"
#include "runtime/Core/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace burn::runtime {

using Bytes = std::span<const std::byte>;

/// Version of the format of entries and of the plans inside. Entries of another version are not read.
inline constexpr uint32_t kCacheSchema = 1;

/// Digest that names the entry of a key.
struct KeyHash {
  uint64_t high = 0, low = 0;
  std::string hex() const;
  friend bool operator==(const KeyHash &, const KeyHash &) = default;
};

KeyHash hashKey(Bytes key);

/// The parts of an entry, as views of its bytes.
struct CacheEntry {
  Bytes elf, plan, key;
  std::vector<ToolchainFile> toolchain;
};

/// What follows the ELF bytes in the file, for the parts of an entry.
std::vector<std::byte> makeTrailer(const CacheEntry &entry);

/// Takes an entry apart. DataLoss for anything but a whole, undamaged entry of this schema; the message says what is
/// wrong.
core::Expected<CacheEntry> parseEntry(Bytes file);

} // namespace burn::runtime

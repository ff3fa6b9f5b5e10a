// Mixing of machine words, for tables in memory alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace burn::trace {

inline uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15ull) * (b ^ 0xd1b54a32d192ed03ull);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// Asks for memory that is about to be written or read: many lines at once take little longer than one.
inline void prefetchRange(const void *begin, size_t bytes) {
  const auto *line = static_cast<const char *>(begin);
  for (size_t offset = 0; offset < bytes; offset += 64)
    __builtin_prefetch(line + offset, 1, 2);
}

inline uint64_t hashWords(std::span<const int64_t> words, uint64_t seed = 0) {
  uint64_t hash = mix(words.size(), seed);
  for (int64_t word : words)
    hash = mix(hash, static_cast<uint64_t>(word));
  return hash;
}

} // namespace burn::trace

// Byte counts as the environment gives them.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace burn::core {

/// What `parseByteSize` takes, for messages.
inline constexpr const char *kByteSizeText = "a number of bytes, with an optional K, M or G";

/// A decimal byte count with an optional suffix K, M or G (powers of 1024, either case), below 2^63; none where the
/// text is not one.
inline std::optional<int64_t> parseByteSize(const char *text) {
  char *end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || errno || value < 0)
    return std::nullopt;
  int shift = 0;
  switch (*end) {
  case '\0':
    return value;
  case 'K':
  case 'k':
    shift = 10;
    break;
  case 'M':
  case 'm':
    shift = 20;
    break;
  case 'G':
  case 'g':
    shift = 30;
    break;
  default:
    return std::nullopt;
  }
  if (end[1] != '\0' || value > (INT64_MAX >> shift))
    return std::nullopt;
  return value << shift;
}

} // namespace burn::core

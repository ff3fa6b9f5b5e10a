// What a module of SPIR-V says of itself at its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace burn::core {

/// The capability CooperativeMatrixKHR, of modules that multiply matrices by subgroups. SPIRV-Tools know it from 2023.4
/// on.
inline constexpr uint32_t kSpirvCooperativeMatrix = 6022;

/// Whether a module declares a capability. These instructions stand first in it, behind a header of five words; what
/// follows them is not looked at, so that the rest may be damaged.
inline bool declaresCapability(std::span<const uint32_t> words, uint32_t capability) {
  constexpr uint32_t magic = 0x07230203, opCapability = 2 << 16 | 17;
  constexpr size_t header = 5;
  if (words.size() < header || words[0] != magic)
    return false;
  for (size_t i = header; i + 1 < words.size() && words[i] == opCapability; i += 2)
    if (words[i + 1] == capability)
      return true;
  return false;
}

} // namespace burn::core

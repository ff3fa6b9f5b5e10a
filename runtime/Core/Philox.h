#ifndef BURN_CORE_PHILOX_H
#define BURN_CORE_PHILOX_H

#include <array>
#include <cstdint>

namespace burn::core {

/// One block of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011):
/// a bijection of the 128-bit counter for each 64-bit key, so any element of a random tensor is computed alone.
constexpr std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The counter of block `block` within random call `call`; every random op of the project uses this layout.
constexpr std::array<uint32_t, 4> philoxCounter(uint64_t block, uint64_t call) {
  return {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), static_cast<uint32_t>(call),
          static_cast<uint32_t>(call >> 32)};
}

/// The 32 random bits of row-major element `index`: lane index % 4 of block index / 4.
constexpr uint32_t philoxBits32(uint64_t index, uint64_t call, std::array<uint32_t, 2> key) {
  return philox4x32(philoxCounter(index / 4, call), key)[index % 4];
}

/// The 64 random bits of row-major element `index`: lanes 2 (index % 2) (low half) and the next of block index / 2.
constexpr uint64_t philoxBits64(uint64_t index, uint64_t call, std::array<uint32_t, 2> key) {
  const std::array<uint32_t, 4> block = philox4x32(philoxCounter(index / 2, call), key);
  const uint64_t lane = 2 * (index % 2);
  return block[lane] | uint64_t{block[lane + 1]} << 32;
}

} // namespace burn::core

#endif // BURN_CORE_PHILOX_H

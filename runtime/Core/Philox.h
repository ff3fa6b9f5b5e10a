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

/// Blocks that are computed side by side, in the form that compilers turn into vector code.
inline constexpr uint64_t kPhiloxTogether = 16;

/// words[lane][i]: lane of block `first` + i of call `call`.
inline void philoxBlocks(uint64_t first, uint64_t call, std::array<uint32_t, 2> key,
                         uint32_t (&words)[4][kPhiloxTogether]) {
  for (uint64_t i = 0; i < kPhiloxTogether; ++i) {
    const std::array<uint32_t, 4> counter = philoxCounter(first + i, call);
    for (uint64_t lane = 0; lane < 4; ++lane)
      words[lane][i] = counter[lane];
  }
#pragma clang loop unroll(disable)
  for (int round = 0; round < 10; ++round) {
    for (uint64_t i = 0; i < kPhiloxTogether; ++i) {
      const uint64_t product0 = uint64_t{0xD2511F53u} * words[0][i], product1 = uint64_t{0xCD9E8D57u} * words[2][i];
      words[0][i] = static_cast<uint32_t>(product1 >> 32) ^ words[1][i] ^ key[0];
      words[1][i] = static_cast<uint32_t>(product1);
      words[2][i] = static_cast<uint32_t>(product0 >> 32) ^ words[3][i] ^ key[1];
      words[3][i] = static_cast<uint32_t>(product0);
    }
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
}

/// Calls `use(index, bits)` for the elements [0, count) of call `call`, in order: philoxBits32 of each, but a block is
/// computed once.
template <typename Use>
void forPhiloxBits32(uint64_t count, uint64_t call, std::array<uint32_t, 2> key, const Use &use) {
  uint32_t words[4][kPhiloxTogether];
  for (uint64_t first = 0; first < count; first += 4 * kPhiloxTogether) {
    philoxBlocks(first / 4, call, key, words);
#pragma clang loop unroll(disable)
    for (uint64_t i = 0; i < 4 * kPhiloxTogether && first + i < count; ++i)
      use(first + i, words[i % 4][i / 4]);
  }
}

} // namespace burn::core

#endif // BURN_CORE_PHILOX_H

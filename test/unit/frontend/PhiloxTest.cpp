#include "runtime/Core/Philox.h"

#include <catch2/catch.hpp>

using burn::core::philox4x32;
using Block = std::array<uint32_t, 4>;

TEST_CASE("philox4x32-10 gives the known answers of Random123", "[random]") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox elements are lanes of the block that holds them", "[random]") {
  const std::array<uint32_t, 2> key{7, 9};
  const uint64_t call = uint64_t{5} << 32 | 3;
  const Block block = philox4x32({2, 0, 3, 5}, key);
  CHECK(burn::core::philoxBits32(8, call, key) == block[0]);
  CHECK(burn::core::philoxBits32(11, call, key) == block[3]);
  CHECK(burn::core::philoxBits64(4, call, key) == (uint64_t{block[1]} << 32 | block[0]));
  CHECK(burn::core::philoxBits64(5, call, key) == (uint64_t{block[3]} << 32 | block[2]));
}

TEST_CASE("philox elements in a row are those computed alone", "[random]") {
  const std::array<uint32_t, 2> key{0xfffffffe, 3};
  const uint64_t call = uint64_t{5} << 32 | 3;
  for (const uint64_t count : {0, 1, 63, 64, 65, 200}) {
    uint64_t next = 0;
    burn::core::forPhiloxBits32(count, call, key, [&](uint64_t index, uint32_t bits) {
      REQUIRE(index == next++);
      REQUIRE(bits == burn::core::philoxBits32(index, call, key));
    });
    CHECK(next == count);
  }
}

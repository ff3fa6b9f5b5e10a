#include "runtime/Core/Spirv.h"

#include <vector>

#include <catch2/catch.hpp>

using namespace burn::core;

TEST_CASE("the capabilities that a module of SPIR-V declares", "[core][gpu]") {
  // OpCapability Shader, OpCapability CooperativeMatrixKHR, OpMemoryModel Logical GLSL450.
  const std::vector<uint32_t> header = {0x07230203, 0x00010600, 0, 10, 0};
  const auto declares = [&](const std::vector<uint32_t> &rest, uint32_t capability = kSpirvCooperativeMatrix) {
    std::vector<uint32_t> words = header;
    words.insert(words.end(), rest.begin(), rest.end());
    return declaresCapability(words, capability);
  };
  constexpr uint32_t opCapability = 0x00020011, opMemoryModel = 0x0003000e, opConstant = 0x0004002b;
  CHECK(declares({opCapability, 1, opCapability, 6022, opMemoryModel, 0, 1}));
  CHECK(declares({opCapability, 6022}));
  CHECK(declares({opCapability, 1, opMemoryModel, 0, 1}, 1));
  CHECK_FALSE(declares({opCapability, 1, opMemoryModel, 0, 1}));
  // The number stands elsewhere: a constant, an operand, the bound of the header.
  CHECK_FALSE(declares({opCapability, 1, opMemoryModel, 0, 1, opConstant, 2, 3, 6022}));
  CHECK_FALSE(declares({opCapability, 1, opMemoryModel, 0, 1, opCapability, 6022}));
  CHECK_FALSE(declaresCapability(std::vector<uint32_t>{0x07230203, 0x00010600, 0, 6022, 0}, kSpirvCooperativeMatrix));
  // No module, or one that breaks off.
  CHECK_FALSE(declares({}));
  CHECK_FALSE(declares({opCapability}));
  CHECK_FALSE(declares({opCapability, 1, opCapability}));
  CHECK_FALSE(declaresCapability({}, kSpirvCooperativeMatrix));
  CHECK_FALSE(declaresCapability(std::vector<uint32_t>{1, 2, 3, 4, 5, opCapability, 6022}, kSpirvCooperativeMatrix));
}

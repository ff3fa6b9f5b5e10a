#include "runtime/Core/Environment.h"

#include <cstdio>

namespace burn {

void core::reportIgnored(std::string_view variable, std::string_view value, std::string_view expected) {
  std::fprintf(stderr, "burn: %.*s: expected %.*s, got '%.*s'; it is ignored\n", static_cast<int>(variable.size()),
               variable.data(), static_cast<int>(expected.size()), expected.data(), static_cast<int>(value.size()),
               value.data());
}

} // namespace burn

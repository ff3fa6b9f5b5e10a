#pragma once

#include "runtime/Core/Status.h"

#include <cstdint>
#include <span>

namespace burn::compiler {

/// Checks a module of SPIR-V against its specification and the rules of Vulkan 1.1; Internal, saying what is wrong,
/// where it breaks one.
core::Status validateSpirv(std::span<const uint32_t> words);

} // namespace burn::compiler

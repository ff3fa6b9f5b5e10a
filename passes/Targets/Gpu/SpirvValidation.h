#pragma once

#include "runtime/Core/Status.h"

#include <cstdint>
#include <span>

namespace burn::compiler {

/// Checks a module of SPIR-V against its specification and the rules of Vulkan; Internal, saying what is wrong, where
/// it breaks one. A module with matrices (SPV_KHR_cooperative_matrix) is checked by releases of SPIRV-Tools that know
/// these, from 2023.4 on, and taken as it is by others.
core::Status validateSpirv(std::span<const uint32_t> words);

} // namespace burn::compiler

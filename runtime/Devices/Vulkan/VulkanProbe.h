// What a Vulkan device does, where no property of it says so.
#pragma once

#include "runtime/Devices/Vulkan/VulkanDevice.h"

namespace burn::runtime {

/// What the device makes of x * y + z of f32 where shaders ask for the fused operation, which Vulkan lets it carry out
/// as a product and a sum, and with zeros for subnormal numbers: core::kGpuFma32, core::kGpuNormalFma32 or 0. Runs a
/// kernel.
core::Expected<uint32_t> findMultiplyAdd(VulkanDevice &device);

} // namespace burn::runtime

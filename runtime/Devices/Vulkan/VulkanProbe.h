// What a Vulkan device does, where no property of it says so.
#pragma once

#include "runtime/Devices/Vulkan/VulkanDevice.h"

namespace burn::runtime {

/// Whether the device rounds x * y + z of f32 once where shaders ask for the fused operation, which Vulkan lets it
/// carry out as a product and a sum. Runs a kernel.
core::Expected<bool> fusesMultiplyAdd(VulkanDevice &device);

} // namespace burn::runtime

// Products of matrices by subgroups (VK_KHR_cooperative_matrix), as the headers of Vulkan before 1.3.255 lack it.
#pragma once

#include "runtime/Core/GpuTarget.h"
#include "runtime/Devices/Vulkan/VulkanApi.h"

#include <vector>

namespace burn::runtime {

inline constexpr const char *kMatrixExtension = "VK_KHR_cooperative_matrix";

/// VkPhysicalDeviceCooperativeMatrixFeaturesKHR.
struct VulkanMatrixFeatures {
  static constexpr auto kType = static_cast<VkStructureType>(1000506000);
  VkStructureType sType = kType;
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

/// The shapes that a device lists for subgroups, of those that kernels use: f16 added up in f32, and signed bytes in
/// i32.
std::vector<core::GpuMatrixShape> matrixShapes(const VulkanInstance &vk, VkPhysicalDevice device);

} // namespace burn::runtime

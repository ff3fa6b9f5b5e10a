// Products of matrices by subgroups (VK_KHR_cooperative_matrix), as the headers of Vulkan before 1.3.255 lack it.
#pragma once

#include "runtime/Core/GpuTarget.h"
#include "runtime/Devices/Vulkan/VulkanApi.h"

#include <vector>

namespace burn::runtime {

inline constexpr const char *kMatrixExtension = "VK_KHR_cooperative_matrix";
/// The patch of Vulkan 1.3 that it came with.
inline constexpr uint32_t kMatrixPatch = 255;

/// VkPhysicalDeviceCooperativeMatrixFeaturesKHR.
struct VulkanMatrixFeatures {
  static constexpr auto kType = static_cast<VkStructureType>(1000506000);
  VkStructureType sType = kType;
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

/// VkPhysicalDeviceCooperativeMatrixPropertiesKHR.
struct VulkanMatrixStages {
  static constexpr auto kType = static_cast<VkStructureType>(1000506002);
  VkStructureType sType = kType;
  void *pNext = nullptr;
  VkShaderStageFlags supportedStages = 0;
};

/// VkCooperativeMatrixPropertiesKHR: a shape that a device multiplies.
struct VulkanMatrixShape {
  static constexpr auto kType = static_cast<VkStructureType>(1000506001);
  VkStructureType sType = kType;
  void *pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  uint32_t a = 0, b = 0, c = 0, result = 0; // VkComponentTypeKHR
  VkBool32 saturates = VK_FALSE;
  uint32_t scope = 0; // VkScopeKHR
};

/// Of VkComponentTypeKHR and VkScopeKHR.
inline constexpr uint32_t kVulkanFloat16 = 0, kVulkanFloat32 = 1, kVulkanSigned8 = 3, kVulkanSigned32 = 5,
                          kVulkanSubgroupScope = 3;

/// The shapes that a device lists for the subgroups of compute shaders, of those that kernels use: f16 added up in f32,
/// and signed bytes in i32. `device` has the extension.
std::vector<core::GpuMatrixShape> matrixShapes(const VulkanInstance &vk, VkPhysicalDevice device);

} // namespace burn::runtime

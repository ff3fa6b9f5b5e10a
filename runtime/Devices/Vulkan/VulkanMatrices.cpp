#include "runtime/Devices/Vulkan/VulkanMatrices.h"

namespace burn::runtime {
namespace {

/// VkCooperativeMatrixPropertiesKHR.
struct MatrixProperties {
  VkStructureType sType = static_cast<VkStructureType>(1000506001);
  void *pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  uint32_t a = 0, b = 0, c = 0, result = 0; // VkComponentTypeKHR
  VkBool32 saturates = VK_FALSE;
  uint32_t scope = 0; // VkScopeKHR
};

// Of VkComponentTypeKHR and VkScopeKHR.
constexpr uint32_t kFloat16 = 0, kFloat32 = 1, kSigned8 = 3, kSigned32 = 5, kSubgroup = 3;

} // namespace

std::vector<core::GpuMatrixShape> matrixShapes(const VulkanInstance &vk, VkPhysicalDevice device) {
  using List = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *, MatrixProperties *);
  const auto list =
      reinterpret_cast<List>(vk.GetInstanceProcAddr(vk.instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  uint32_t count = 0;
  if (!list || list(device, &count, nullptr) != VK_SUCCESS)
    return {};
  std::vector<MatrixProperties> found(count);
  if (list(device, &count, found.data()) != VK_SUCCESS)
    return {};
  std::vector<core::GpuMatrixShape> shapes;
  for (const MatrixProperties &entry : found) {
    if (entry.scope != kSubgroup || entry.saturates || entry.a != entry.b || entry.c != entry.result)
      continue;
    if (entry.a == kFloat16 && entry.c == kFloat32)
      shapes.push_back({core::GpuMatrixShape::F16, entry.m, entry.n, entry.k});
    else if (entry.a == kSigned8 && entry.c == kSigned32)
      shapes.push_back({core::GpuMatrixShape::I8, entry.m, entry.n, entry.k});
  }
  return shapes;
}

} // namespace burn::runtime

#include "runtime/Devices/Vulkan/VulkanMatrices.h"

#include <cstddef>

namespace burn::runtime {

#ifdef VK_KHR_cooperative_matrix
namespace {

#define BURN_SAME(Ours, member, Theirs, theirMember)                                                                   \
  static_assert(offsetof(Ours, member) == offsetof(Theirs, theirMember) &&                                             \
                sizeof(Ours::member) == sizeof(Theirs::theirMember))

using Features = VkPhysicalDeviceCooperativeMatrixFeaturesKHR;
static_assert(sizeof(VulkanMatrixFeatures) == sizeof(Features));
static_assert(VulkanMatrixFeatures::kType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
BURN_SAME(VulkanMatrixFeatures, cooperativeMatrix, Features, cooperativeMatrix);
BURN_SAME(VulkanMatrixFeatures, cooperativeMatrixRobustBufferAccess, Features, cooperativeMatrixRobustBufferAccess);

using Stages = VkPhysicalDeviceCooperativeMatrixPropertiesKHR;
static_assert(sizeof(VulkanMatrixStages) == sizeof(Stages));
static_assert(VulkanMatrixStages::kType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
BURN_SAME(VulkanMatrixStages, supportedStages, Stages, cooperativeMatrixSupportedStages);

using Shape = VkCooperativeMatrixPropertiesKHR;
static_assert(sizeof(VulkanMatrixShape) == sizeof(Shape));
static_assert(VulkanMatrixShape::kType == VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
BURN_SAME(VulkanMatrixShape, m, Shape, MSize);
BURN_SAME(VulkanMatrixShape, n, Shape, NSize);
BURN_SAME(VulkanMatrixShape, k, Shape, KSize);
BURN_SAME(VulkanMatrixShape, a, Shape, AType);
BURN_SAME(VulkanMatrixShape, b, Shape, BType);
BURN_SAME(VulkanMatrixShape, c, Shape, CType);
BURN_SAME(VulkanMatrixShape, result, Shape, ResultType);
BURN_SAME(VulkanMatrixShape, saturates, Shape, saturatingAccumulation);
BURN_SAME(VulkanMatrixShape, scope, Shape, scope);
static_assert(kVulkanFloat16 == VK_COMPONENT_TYPE_FLOAT16_KHR && kVulkanFloat32 == VK_COMPONENT_TYPE_FLOAT32_KHR &&
              kVulkanSigned8 == VK_COMPONENT_TYPE_SINT8_KHR && kVulkanSigned32 == VK_COMPONENT_TYPE_SINT32_KHR &&
              kVulkanSubgroupScope == VK_SCOPE_SUBGROUP_KHR);
#undef BURN_SAME

} // namespace
#endif

std::vector<core::GpuMatrixShape> matrixShapes(const VulkanInstance &vk, VkPhysicalDevice device) {
  VulkanMatrixStages stages;
  VkPhysicalDeviceProperties2 properties =
      vulkanInfo<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &stages;
  vk.GetPhysicalDeviceProperties2(device, &properties);
  using List = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *, VulkanMatrixShape *);
  const auto list =
      reinterpret_cast<List>(vk.GetInstanceProcAddr(vk.instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  uint32_t count = 0;
  if (!(stages.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) || !list || list(device, &count, nullptr) != VK_SUCCESS)
    return {};
  std::vector<VulkanMatrixShape> found(count);
  // Of a list that is longer by now, the part that has been written will do.
  if (const VkResult result = list(device, &count, found.data()); result != VK_SUCCESS && result != VK_INCOMPLETE)
    return {};
  found.resize(count);
  std::vector<core::GpuMatrixShape> shapes;
  for (const VulkanMatrixShape &entry : found) {
    if (entry.scope != kVulkanSubgroupScope || entry.saturates || entry.a != entry.b || entry.c != entry.result)
      continue;
    if (entry.a == kVulkanFloat16 && entry.c == kVulkanFloat32)
      shapes.push_back({core::GpuMatrixShape::F16, entry.m, entry.n, entry.k});
    else if (entry.a == kVulkanSigned8 && entry.c == kVulkanSigned32)
      shapes.push_back({core::GpuMatrixShape::I8, entry.m, entry.n, entry.k});
  }
  return shapes;
}

} // namespace burn::runtime

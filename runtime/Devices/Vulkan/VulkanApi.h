// The functions of Vulkan, found in a loader that is opened at run time.
#pragma once

#include "runtime/Core/Status.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>

namespace burn::runtime {

// The functions in use, without "vk": those of an instance, then those of a device.
#define BURN_VULKAN_INSTANCE_FUNCTIONS(X)                                                                              \
  X(DestroyInstance)                                                                                                   \
  X(EnumeratePhysicalDevices)                                                                                          \
  X(EnumerateDeviceExtensionProperties)                                                                                \
  X(GetPhysicalDeviceProperties2)                                                                                      \
  X(GetPhysicalDeviceFeatures2)                                                                                        \
  X(GetPhysicalDeviceMemoryProperties)                                                                                 \
  X(GetPhysicalDeviceQueueFamilyProperties)                                                                            \
  X(CreateDevice)                                                                                                      \
  X(GetDeviceProcAddr)

#define BURN_VULKAN_DEVICE_FUNCTIONS(X)                                                                                \
  X(DestroyDevice)                                                                                                     \
  X(GetDeviceQueue)                                                                                                    \
  X(CreateBuffer)                                                                                                      \
  X(DestroyBuffer)                                                                                                     \
  X(GetBufferMemoryRequirements)                                                                                       \
  X(AllocateMemory)                                                                                                    \
  X(FreeMemory)                                                                                                        \
  X(BindBufferMemory)                                                                                                  \
  X(MapMemory)                                                                                                         \
  X(CreateCommandPool)                                                                                                 \
  X(DestroyCommandPool)                                                                                                \
  X(AllocateCommandBuffers)                                                                                            \
  X(BeginCommandBuffer)                                                                                                \
  X(EndCommandBuffer)                                                                                                  \
  X(CreateFence)                                                                                                       \
  X(DestroyFence)                                                                                                      \
  X(ResetFences)                                                                                                       \
  X(WaitForFences)                                                                                                     \
  X(QueueSubmit)                                                                                                       \
  X(DeviceWaitIdle)                                                                                                    \
  X(CreateDescriptorSetLayout)                                                                                         \
  X(DestroyDescriptorSetLayout)                                                                                        \
  X(CreateDescriptorPool)                                                                                              \
  X(DestroyDescriptorPool)                                                                                             \
  X(ResetDescriptorPool)                                                                                               \
  X(AllocateDescriptorSets)                                                                                            \
  X(UpdateDescriptorSets)                                                                                              \
  X(CreateShaderModule)                                                                                                \
  X(DestroyShaderModule)                                                                                               \
  X(CreatePipelineLayout)                                                                                              \
  X(DestroyPipelineLayout)                                                                                             \
  X(CreatePipelineCache)                                                                                               \
  X(DestroyPipelineCache)                                                                                              \
  X(GetPipelineCacheData)                                                                                              \
  X(CreateComputePipelines)                                                                                            \
  X(DestroyPipeline)                                                                                                   \
  X(CreateQueryPool)                                                                                                   \
  X(DestroyQueryPool)                                                                                                  \
  X(GetQueryPoolResults)                                                                                               \
  X(CmdResetQueryPool)                                                                                                 \
  X(CmdWriteTimestamp)                                                                                                 \
  X(CmdBindPipeline)                                                                                                   \
  X(CmdBindDescriptorSets)                                                                                             \
  X(CmdPushConstants)                                                                                                  \
  X(CmdDispatch)                                                                                                       \
  X(CmdCopyBuffer)                                                                                                     \
  X(CmdFillBuffer)                                                                                                     \
  X(CmdUpdateBuffer)                                                                                                   \
  X(CmdPipelineBarrier)

#define BURN_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

/// An instance of Vulkan and the functions that it has. One a process; never closed.
class VulkanInstance {
public:
  /// The instance of this process: the first that could be made. Else Unavailable: no loader, no driver, a validation
  /// layer that was asked for (BURN_VULKAN_VALIDATION=1) and is not there.
  static core::Expected<const VulkanInstance *> get();

  BURN_VULKAN_INSTANCE_FUNCTIONS(BURN_VULKAN_MEMBER)
  /// Null unless VK_EXT_debug_utils is in use.
  PFN_vkCmdBeginDebugUtilsLabelEXT CmdBeginDebugUtilsLabelEXT = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT CmdEndDebugUtilsLabelEXT = nullptr;
  PFN_vkSetDebugUtilsObjectNameEXT SetDebugUtilsObjectNameEXT = nullptr;
  /// Names an object of a device for capture tools and messages, where VK_EXT_debug_utils is in use.
  void setName(VkDevice device, VkObjectType type, uint64_t object, const std::string &name) const;
  VkInstance instance = VK_NULL_HANDLE;
  /// Of Vulkan: what code of a device may use at most.
  uint32_t version = VK_API_VERSION_1_1;
  /// Of Vulkan, as the validation layer knows it; 0 where that is off.
  uint32_t validationVersion = 0;
  /// For functions of extensions that not every device has.
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;

private:
  static core::Expected<const VulkanInstance *> create();
};

/// The functions of a device.
struct VulkanFunctions {
  BURN_VULKAN_DEVICE_FUNCTIONS(BURN_VULKAN_MEMBER)
  /// Null where the device has no addresses.
  PFN_vkGetBufferDeviceAddress GetBufferDeviceAddress = nullptr;
  void load(const VulkanInstance &instance, VkDevice device);
};

#undef BURN_VULKAN_MEMBER

/// A structure of Vulkan of its type, all else 0.
template <typename Info> Info vulkanInfo(VkStructureType type) {
  Info info = {};
  info.sType = type;
  return info;
}

/// An error of Vulkan as a status: `what` failed.
core::Status vulkanError(const std::string &what, VkResult result);

/// What the validation layer has said since the last call; OK where it has said nothing or is not in use.
core::Status takeValidationErrors();

} // namespace burn::runtime

// A device behind Vulkan 1.1.
#pragma once

#include "runtime/Core/GpuTarget.h"
#include "runtime/Devices/Device.h"
#include "runtime/Devices/Vulkan/VulkanQueue.h"

#include <atomic>

namespace burn::runtime {

struct VulkanOptions {
  /// Bytes of device memory that may be in use; 0: those of its heap. BURN_DEVICE_MEMORY_LIMIT sets it (with an
  /// optional K, M or G).
  uint64_t memoryLimit = 0;
  /// Time the kernels and print the sums to stderr when the device is closed or the process ends. BURN_PROFILE=1.
  bool profile = false;
  /// What the device has and code is not to use: "-subgroups,-fma32", names of core::GpuFeature. BURN_VULKAN_FEATURES
  /// sets it; a word that is no such name is an error when the device is opened.
  std::string features;
  /// Let kernels see what lies behind each range that they are given, as devices without bounds checks do: for tests
  /// that put something there. At most kNeighbourBytes, within the block.
  bool exposeNeighbours = false;
  static constexpr uint64_t kNeighbourBytes = 256;

  static VulkanOptions fromEnvironment();
};

class VulkanDevice final : public Device {
public:
  /// The device number `index` of those that the loader names and that can compute. Unavailable where there is no
  /// loader, no driver or no such device.
  static core::Expected<std::unique_ptr<VulkanDevice>> open(uint32_t index, const VulkanOptions &options);
  ~VulkanDevice() override;

  const std::string &name() const override { return name_; }
  const PlanTarget &target() const override { return planTarget_; }
  core::Expected<DeviceMemory> allocate(size_t bytes) override;
  void release(DeviceMemory memory, size_t bytes) noexcept override { pool_->release(memory, bytes); }
  MemoryStats memoryStats() const override { return pool_->stats(); }
  core::Status upload(const void *from, Buffer &to) override;
  core::Status download(Buffer &from, void *to) override;
  core::Status copy(Buffer &from, Buffer &to) override;
  core::Status synchronize() override;
  core::Expected<std::unique_ptr<DeviceCode>> load(std::span<const std::byte> code, const core::Plan &plan,
                                                   std::span<const std::byte> driverCache) override;

  // For the code of plans.
  const VulkanInstance &instance() const { return instance_; }
  const VulkanFunctions &vk() const { return vk_; }
  VkDevice handle() const { return device_; }
  VulkanQueue &queue() { return *queue_; }
  const core::GpuTarget &capabilities() const { return capabilities_; }
  const VkPhysicalDeviceProperties &properties() const { return properties_; }

  /// Times of kernels, where the device profiles. Under the lock of the queue.
  struct KernelTime {
    std::string name;
    uint64_t launches = 0, nanoseconds = 0;
  };
  bool exposesNeighbours() const { return exposeNeighbours_; }
  bool profiles() const { return profile_; }
  void addTime(const std::string &kernel, uint64_t ticks);
  const std::vector<KernelTime> &times() const { return times_; }
  /// Prints the times so far to stderr and forgets them.
  void reportTimes();

private:
  VulkanDevice(const VulkanInstance &instance, std::string name) : instance_(instance), name_(std::move(name)) {}
  core::Status create(VkPhysicalDevice physical, uint32_t family, const VulkanOptions &options);
  void readCapabilities(VkPhysicalDevice physical);
  /// Takes the features away that VulkanOptions::features names.
  core::Status restrictFeatures(std::string_view words);
  /// A queue of its own, with fresh command buffers, in place of the one that is open.
  core::Status openQueue(uint32_t family);

  const VulkanInstance &instance_;
  std::string name_;
  VulkanFunctions vk_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_ = {};
  core::GpuTarget capabilities_;
  PlanTarget planTarget_;
  std::unique_ptr<VulkanMemory> memory_;
  std::unique_ptr<VulkanPool> pool_;
  std::unique_ptr<VulkanQueue> queue_;
  bool exposeNeighbours_ = false, profile_ = false;
  std::vector<KernelTime> times_;
};

/// The number in "vulkan:3", or 0 of "vulkan". InvalidArgument for another name.
core::Expected<uint32_t> vulkanIndex(std::string_view name);

} // namespace burn::runtime

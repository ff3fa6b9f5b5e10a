// Memory of a Vulkan device: few large blocks, each one buffer, cut into ranges.
#pragma once

#include "runtime/Devices/Device.h"
#include "runtime/Devices/Vulkan/VulkanApi.h"

#include <memory>
#include <mutex>
#include <vector>

namespace burn::runtime {

/// A buffer with memory of its own.
struct VulkanBlock {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t bytes = 0;
  void *mapped = nullptr; // where the host sees it
  uint64_t address = 0;   // where the device sees it; 0 where it has no addresses
  struct Range {
    uint64_t offset, bytes;
  };
  std::vector<Range> free; // by offset; neighbours are merged
  bool isFree() const { return free.size() == 1 && free[0].bytes == bytes; }
};

/// Makes and destroys blocks.
class VulkanMemory {
public:
  /// `hasAddresses`: the device was made with bufferDeviceAddress.
  VulkanMemory(const VulkanInstance &instance, const VulkanFunctions &vk, VkDevice device,
               const VkPhysicalDeviceMemoryProperties &properties, bool hasAddresses)
      : instance_(instance), vk_(vk), device_(device), properties_(properties), hasAddresses_(hasAddresses) {}

  enum class Kind { Device, Host };
  /// A block; host memory is coherent and mapped. OutOfMemory, with the size.
  core::Expected<VulkanBlock> make(uint64_t bytes, Kind kind) const;
  void destroy(VulkanBlock &block) const;
  /// Bytes of the heap that memory of the device is taken from.
  uint64_t heapBytes() const;

private:
  int typeOf(uint32_t allowed, Kind kind) const;

  const VulkanInstance &instance_;
  const VulkanFunctions &vk_;
  VkDevice device_;
  VkPhysicalDeviceMemoryProperties properties_;
  bool hasAddresses_;
};

/// Hands out ranges of blocks. A range that is given back is handed out again at once: work on a queue takes place in
/// order. Thread-safe.
class VulkanPool {
public:
  /// Ranges begin at multiples of this, the largest alignment that Vulkan lets a device ask of storage buffers.
  static constexpr uint64_t kAlignment = 256;

  /// `limit` bytes at most; 0: those of the heap.
  VulkanPool(const VulkanMemory &memory, std::string device, uint64_t limit);
  ~VulkanPool();

  core::Expected<DeviceMemory> allocate(size_t bytes);
  void release(DeviceMemory memory, size_t bytes) noexcept;
  /// Gives blocks without a range in use back to the system; the device is idle.
  void trim();
  MemoryStats stats() const;

private:
  bool take(VulkanBlock &block, uint64_t bytes, DeviceMemory &taken);

  const VulkanMemory &memory_;
  std::string device_;
  uint64_t limit_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<VulkanBlock>> blocks_;
  MemoryStats stats_;
};

} // namespace burn::runtime

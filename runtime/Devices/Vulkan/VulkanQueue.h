// Command buffers of a Vulkan device, submitted one after the other to its queue.
#pragma once

#include "runtime/Core/GpuPlan.h"
#include "runtime/Devices/Vulkan/VulkanMemory.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace burn::runtime {

class VulkanQueue;

/// The error word of a run, read when its commands have run.
class VulkanOutcome final : public RunOutcome {
public:
  explicit VulkanOutcome(VulkanQueue &queue) : queue_(queue) {}
  bool isKnown() const override { return isKnown_.load(std::memory_order_acquire); }
  core::Expected<int64_t> wait() override;

private:
  friend class VulkanQueue;
  void set(uint32_t word, const core::Status &failure) {
    word_ = word;
    failure_ = failure;
    isKnown_.store(true, std::memory_order_release);
  }

  VulkanQueue &queue_;
  uint64_t sequence_ = 0; // of its submission
  std::atomic<bool> isKnown_{false};
  uint32_t word_ = core::kGpuNoError;
  core::Status failure_; // of the device
};

/// A command buffer under recording, with what its commands need until they have run.
struct VulkanSlot {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  bool isPending = false; // submitted, the fence not yet waited for
  uint64_t sequence = 0;  // of the last submission
  std::vector<VkDescriptorPool> pools;
  size_t poolsInUse = 0;
  VulkanBlock staging; // made on first use
  /// Runs that end in it, with the place of their error word in the staging memory.
  std::vector<std::pair<uint64_t, std::shared_ptr<VulkanOutcome>>> outcomes;
};

/// The queue. Commands take place in order: each command buffer begins with a barrier against all before it. Whoever
/// uses it holds its lock.
class VulkanQueue {
public:
  /// Bytes that the staging memory of a slot holds.
  static constexpr uint64_t kStagingBytes = uint64_t(4) << 20;

  VulkanQueue(const VulkanFunctions &vk, const VulkanMemory &memory, VkDevice device, uint32_t family);
  ~VulkanQueue();
  core::Status open();

  using Lock = std::unique_lock<std::mutex>;
  /// Unavailable in the child of a fork, whose parent has the queue.
  core::Expected<Lock> lock();

  /// Begins to record. Waits where all slots are in flight.
  core::Expected<VulkanSlot *> begin();
  /// Ends the recording and submits it; the number that `wait` takes. A slot that was begun is submitted or abandoned.
  core::Expected<uint64_t> submit(VulkanSlot &slot);
  void abandon(VulkanSlot &slot) const {
    vk_.EndCommandBuffer(slot.commands);
    slot.outcomes.clear();
  }
  /// Waits for a submission and all before it. Fails once the device is lost.
  core::Status wait(uint64_t sequence);
  core::Status waitAll() { return wait(sequence_); }

  /// The mapped staging memory of a slot.
  core::Expected<VulkanBlock *> staging(VulkanSlot &slot);
  /// A descriptor set that lives as long as the slot's commands.
  core::Expected<VkDescriptorSet> descriptors(VulkanSlot &slot, VkDescriptorSetLayout layout);

  /// Everything written before is seen by everything after.
  void barrier(VulkanSlot &slot) const;
  void copy(VulkanSlot &slot, const VulkanBlock &from, uint64_t fromOffset, const VulkanBlock &to, uint64_t toOffset,
            uint64_t bytes) const;

private:
  core::Status lost(VkResult result);
  /// Hands out the error words of the runs that ended in a slot.
  void tell(VulkanSlot &slot);

  static constexpr size_t kSlots = 4;
  std::mutex mutex_;
  const VulkanFunctions &vk_;
  const VulkanMemory &memory_;
  VkDevice device_;
  uint32_t family_;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool commandPool_ = VK_NULL_HANDLE;
  VulkanSlot slots_[kSlots];
  uint64_t sequence_ = 0;
  core::Status failure_; // of a device that is lost
};

} // namespace burn::runtime

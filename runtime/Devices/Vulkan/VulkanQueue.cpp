#include "runtime/Devices/Vulkan/VulkanQueue.h"

#include <atomic>
#include <cstring>

#include <pthread.h>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

// The threads of a driver do not outlive a fork.
std::atomic<bool> isForkedChild{false};

} // namespace

VulkanQueue::VulkanQueue(const VulkanFunctions &vk, const VulkanMemory &memory, VkDevice device, uint32_t family)
    : vk_(vk), memory_(memory), device_(device), family_(family) {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { isForkedChild.store(true, std::memory_order_relaxed); });
}

VulkanQueue::~VulkanQueue() {
  (void)waitAll();
  for (VulkanSlot &slot : slots_) {
    vk_.DestroyFence(device_, slot.fence, nullptr);
    for (VkDescriptorPool pool : slot.pools)
      vk_.DestroyDescriptorPool(device_, pool, nullptr);
    memory_.destroy(slot.staging);
  }
  vk_.DestroyCommandPool(device_, commandPool_, nullptr);
}

Status VulkanQueue::open() {
  vk_.GetDeviceQueue(device_, family_, 0, &queue_);
  VkCommandPoolCreateInfo pool = vulkanInfo<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.queueFamilyIndex = family_;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  VkResult result = vk_.CreateCommandPool(device_, &pool, nullptr, &commandPool_);
  VkCommandBufferAllocateInfo buffers =
      vulkanInfo<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  buffers.commandPool = commandPool_;
  buffers.commandBufferCount = 1;
  const VkFenceCreateInfo fence = vulkanInfo<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  for (VulkanSlot &slot : slots_) {
    if (result == VK_SUCCESS)
      result = vk_.AllocateCommandBuffers(device_, &buffers, &slot.commands);
    if (result == VK_SUCCESS)
      result = vk_.CreateFence(device_, &fence, nullptr, &slot.fence);
  }
  return result == VK_SUCCESS ? Status::ok() : vulkanError("cannot make command buffers", result);
}

// A lost device stays lost, and all that was submitted with it.
Status VulkanQueue::lost(VkResult result) {
  failure_ = vulkanError("the Vulkan device failed", result);
  // What is in flight on a device that is only said to be lost may not lose its memory.
  (void)vk_.DeviceWaitIdle(device_);
  for (VulkanSlot &slot : slots_) {
    slot.isPending = false;
    tell(slot);
  }
  return failure_;
}

void VulkanQueue::tell(VulkanSlot &slot) {
  for (const auto &[place, outcome] : slot.outcomes) {
    uint32_t word = core::kGpuNoError;
    std::memcpy(&word, static_cast<const std::byte *>(slot.staging.mapped) + place, sizeof word);
    outcome->set(word, failure_);
  }
  slot.outcomes.clear();
}

Expected<int64_t> VulkanOutcome::wait() {
  if (!isKnown()) {
    const Expected<VulkanQueue::Lock> lock = queue_.lock();
    if (!lock)
      return lock.status();
    if (Status status = queue_.wait(sequence_); !status)
      return status;
  }
  if (!failure_)
    return failure_;
  return word_ == core::kGpuNoError ? int64_t(-1) : int64_t(word_);
}

Expected<VulkanQueue::Lock> VulkanQueue::lock() {
  // Before the mutex, which a thread of the parent may have held.
  if (isForkedChild.load(std::memory_order_relaxed))
    return Status::error(ErrorCode::Unavailable, "a process that was forked cannot use the Vulkan devices of its "
                                                 "parent; start the program anew");
  return Lock(mutex_);
}

Expected<VulkanSlot *> VulkanQueue::begin() {
  if (!failure_)
    return failure_;
  VulkanSlot &slot = slots_[(sequence_ + 1) % kSlots];
  if (slot.isPending)
    if (Status status = wait(slot.sequence); !status)
      return status;
  for (size_t i = 0; i < slot.poolsInUse; ++i)
    vk_.ResetDescriptorPool(device_, slot.pools[i], 0);
  slot.poolsInUse = 0;
  VkCommandBufferBeginInfo info = vulkanInfo<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (const VkResult result = vk_.BeginCommandBuffer(slot.commands, &info); result != VK_SUCCESS)
    return lost(result);
  barrier(slot);
  return &slot;
}

Expected<uint64_t> VulkanQueue::submit(VulkanSlot &slot) {
  VkMemoryBarrier toHost = vulkanInfo<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  toHost.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vk_.CmdPipelineBarrier(slot.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &toHost, 0,
                         nullptr, 0, nullptr);
  VkSubmitInfo info = vulkanInfo<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &slot.commands;
  VkResult result = vk_.EndCommandBuffer(slot.commands);
  if (result == VK_SUCCESS)
    result = vk_.QueueSubmit(queue_, 1, &info, slot.fence);
  if (result != VK_SUCCESS)
    return lost(result);
  slot.isPending = true;
  slot.sequence = ++sequence_;
  for (const auto &entry : slot.outcomes)
    entry.second->sequence_ = slot.sequence;
  if (Status status = takeValidationErrors(); !status)
    return status;
  return slot.sequence;
}

Status VulkanQueue::wait(uint64_t sequence) {
  for (VulkanSlot &slot : slots_) {
    if (!slot.isPending || slot.sequence > sequence)
      continue;
    VkResult result = vk_.WaitForFences(device_, 1, &slot.fence, VK_TRUE, UINT64_MAX);
    if (result == VK_SUCCESS)
      result = vk_.ResetFences(device_, 1, &slot.fence);
    if (result != VK_SUCCESS)
      return lost(result);
    slot.isPending = false;
    tell(slot);
  }
  return failure_;
}

Expected<VulkanBlock *> VulkanQueue::staging(VulkanSlot &slot) {
  if (!slot.staging.buffer) {
    Expected<VulkanBlock> made = memory_.make(kStagingBytes, VulkanMemory::Kind::Host);
    if (!made)
      return made.status();
    slot.staging = std::move(*made);
  }
  return &slot.staging;
}

Expected<VkDescriptorSet> VulkanQueue::descriptors(VulkanSlot &slot, VkDescriptorSetLayout layout) {
  VkDescriptorSetAllocateInfo info =
      vulkanInfo<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  // The current pool may be full, a fresh one is not.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt == 1 || slot.poolsInUse == 0) {
      if (slot.poolsInUse == slot.pools.size()) {
        constexpr uint32_t sets = 256;
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8 * sets};
        VkDescriptorPoolCreateInfo pool =
            vulkanInfo<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
        pool.maxSets = sets;
        pool.poolSizeCount = 1;
        pool.pPoolSizes = &size;
        VkDescriptorPool made = VK_NULL_HANDLE;
        if (const VkResult result = vk_.CreateDescriptorPool(device_, &pool, nullptr, &made); result != VK_SUCCESS)
          return vulkanError("cannot make a descriptor pool", result);
        slot.pools.push_back(made);
      }
      ++slot.poolsInUse;
    }
    VkDescriptorSet set = VK_NULL_HANDLE;
    info.descriptorPool = slot.pools[slot.poolsInUse - 1];
    const VkResult result = vk_.AllocateDescriptorSets(device_, &info, &set);
    if (result == VK_SUCCESS)
      return set;
    if (attempt == 1 || (result != VK_ERROR_OUT_OF_POOL_MEMORY && result != VK_ERROR_FRAGMENTED_POOL))
      return vulkanError("cannot make a descriptor set", result);
  }
  return Status::error(ErrorCode::Internal, "cannot make a descriptor set");
}

void VulkanQueue::barrier(VulkanSlot &slot) const {
  VkMemoryBarrier all = vulkanInfo<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  all.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                      VK_ACCESS_TRANSFER_WRITE_BIT;
  constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  vk_.CmdPipelineBarrier(slot.commands, stages, stages, 0, 1, &all, 0, nullptr, 0, nullptr);
}

void VulkanQueue::copy(VulkanSlot &slot, const VulkanBlock &from, uint64_t fromOffset, const VulkanBlock &to,
                       uint64_t toOffset, uint64_t bytes) const {
  const VkBufferCopy region{fromOffset, toOffset, bytes};
  vk_.CmdCopyBuffer(slot.commands, from.buffer, to.buffer, 1, &region);
}

} // namespace burn::runtime

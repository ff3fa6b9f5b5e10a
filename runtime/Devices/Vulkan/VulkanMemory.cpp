#include "runtime/Devices/Vulkan/VulkanMemory.h"

#include <algorithm>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

constexpr uint64_t kBlockBytes = uint64_t(32) << 20;

uint64_t rounded(size_t bytes) {
  constexpr uint64_t mask = VulkanPool::kAlignment - 1;
  return std::max<uint64_t>((bytes + mask) & ~mask, VulkanPool::kAlignment);
}

} // namespace

// The first type that the buffer allows, which the driver lists before slower ones.
int VulkanMemory::typeOf(uint32_t allowed, Kind kind) const {
  constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkMemoryPropertyFlags wanted[] = {kind == Kind::Device ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                                               : host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                          kind == Kind::Device ? VkMemoryPropertyFlags(0) : host};
  for (const VkMemoryPropertyFlags flags : wanted)
    for (uint32_t i = 0; i < properties_.memoryTypeCount; ++i)
      if (allowed >> i & 1 && (properties_.memoryTypes[i].propertyFlags & flags) == flags)
        return static_cast<int>(i);
  return -1;
}

uint64_t VulkanMemory::heapBytes() const {
  const int type = typeOf(~0u, Kind::Device);
  return type < 0 ? 0 : properties_.memoryHeaps[properties_.memoryTypes[type].heapIndex].size;
}

Expected<VulkanBlock> VulkanMemory::make(uint64_t bytes, Kind kind) const {
  VulkanBlock block;
  block.bytes = bytes;
  const auto failed = [&](VkResult result) {
    destroy(block);
    return vulkanError("cannot allocate " + std::to_string(bytes) + " bytes", result);
  };
  VkBufferCreateInfo info = vulkanInfo<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               (kind == Kind::Device ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : 0u);
  const bool isAddressed = kind == Kind::Device && hasAddresses_;
  if (isAddressed)
    info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (const VkResult result = vk_.CreateBuffer(device_, &info, nullptr, &block.buffer); result != VK_SUCCESS)
    return failed(result);
  VkMemoryRequirements needed;
  vk_.GetBufferMemoryRequirements(device_, block.buffer, &needed);
  const int type = typeOf(needed.memoryTypeBits, kind);
  if (type < 0)
    return failed(VK_ERROR_FEATURE_NOT_PRESENT);
  VkMemoryAllocateInfo allocation = vulkanInfo<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needed.size;
  allocation.memoryTypeIndex = static_cast<uint32_t>(type);
  VkMemoryAllocateFlagsInfo flags = vulkanInfo<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  if (isAddressed)
    allocation.pNext = &flags;
  VkResult result = vk_.AllocateMemory(device_, &allocation, nullptr, &block.memory);
  if (result == VK_SUCCESS)
    result = vk_.BindBufferMemory(device_, block.buffer, block.memory, 0);
  if (result == VK_SUCCESS && kind == Kind::Host)
    result = vk_.MapMemory(device_, block.memory, 0, VK_WHOLE_SIZE, 0, &block.mapped);
  if (result != VK_SUCCESS)
    return failed(result);
  if (isAddressed) {
    VkBufferDeviceAddressInfo named =
        vulkanInfo<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
    named.buffer = block.buffer;
    block.address = vk_.GetBufferDeviceAddress(device_, &named);
  }
  instance_.setName(device_, VK_OBJECT_TYPE_BUFFER, reinterpret_cast<uint64_t>(block.buffer),
                    kind == Kind::Host ? "burn staging memory" : "burn device memory");
  return block;
}

void VulkanMemory::destroy(VulkanBlock &block) const {
  vk_.DestroyBuffer(device_, block.buffer, nullptr);
  vk_.FreeMemory(device_, block.memory, nullptr);
  block = {};
}

VulkanPool::VulkanPool(const VulkanMemory &memory, std::string device, uint64_t limit)
    : memory_(memory), device_(std::move(device)), limit_(limit ? limit : memory.heapBytes()) {}

VulkanPool::~VulkanPool() {
  for (const auto &block : blocks_)
    memory_.destroy(*block);
}

bool VulkanPool::take(VulkanBlock &block, uint64_t bytes, DeviceMemory &taken) {
  for (auto range = block.free.begin(); range != block.free.end(); ++range) {
    if (range->bytes < bytes)
      continue;
    taken = {&block, range->offset};
    range->offset += bytes;
    range->bytes -= bytes;
    if (!range->bytes)
      block.free.erase(range);
    return true;
  }
  return false;
}

Expected<DeviceMemory> VulkanPool::allocate(size_t bytes) {
  std::lock_guard lock(mutex_);
  const auto outOfMemory = [&](const std::string &reason) {
    return Status::error(ErrorCode::OutOfMemory, "out of memory on " + device_ + ": cannot allocate " +
                                                     std::to_string(bytes) + " bytes (" +
                                                     std::to_string(stats_.liveBytes) + " bytes in use, limit " +
                                                     std::to_string(limit_) + ")" + reason);
  };
  if (bytes > limit_ || static_cast<uint64_t>(stats_.liveBytes) > limit_ - bytes)
    return outOfMemory("");
  const uint64_t size = rounded(bytes);
  DeviceMemory taken;
  for (const auto &block : blocks_)
    if (take(*block, size, taken))
      break;
  if (!taken.block) {
    // A block of its own for what would fill most of one, and where the driver has no more for a whole one.
    const uint64_t whole = size > kBlockBytes / 2 ? size : std::min(kBlockBytes, rounded(limit_));
    Expected<VulkanBlock> made = memory_.make(whole, VulkanMemory::Kind::Device);
    if (!made && whole > size)
      made = memory_.make(size, VulkanMemory::Kind::Device);
    if (!made)
      return outOfMemory("; the driver: " + made.status().message());
    ++stats_.systemCalls;
    stats_.reservedBytes += static_cast<int64_t>(made->bytes);
    blocks_.push_back(std::make_unique<VulkanBlock>(std::move(*made)));
    VulkanBlock &block = *blocks_.back();
    block.free.reserve(64);
    block.free.push_back({0, block.bytes});
    take(block, size, taken);
  }
  ++stats_.allocations;
  ++stats_.liveBlocks;
  stats_.liveBytes += static_cast<int64_t>(bytes);
  stats_.peakBytes = std::max(stats_.peakBytes, stats_.liveBytes);
  return taken;
}

void VulkanPool::release(DeviceMemory memory, size_t bytes) noexcept {
  std::lock_guard lock(mutex_);
  --stats_.liveBlocks;
  stats_.liveBytes -= static_cast<int64_t>(bytes);
  auto &free = static_cast<VulkanBlock *>(memory.block)->free;
  const uint64_t size = rounded(bytes);
  auto next = std::ranges::find_if(free, [&](const auto &range) { return range.offset > memory.offset; });
  const bool joinsPrevious = next != free.begin() && next[-1].offset + next[-1].bytes == memory.offset;
  const bool joinsNext = next != free.end() && memory.offset + size == next->offset;
  if (joinsPrevious) {
    next[-1].bytes += size + (joinsNext ? next->bytes : 0);
    if (joinsNext)
      free.erase(next);
  } else if (joinsNext) {
    next->offset -= size;
    next->bytes += size;
  } else {
    free.insert(next, {memory.offset, size});
  }
}

void VulkanPool::trim() {
  std::lock_guard lock(mutex_);
  std::erase_if(blocks_, [&](const auto &block) {
    if (!block->isFree())
      return false;
    stats_.reservedBytes -= static_cast<int64_t>(block->bytes);
    memory_.destroy(*block);
    return true;
  });
}

MemoryStats VulkanPool::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

} // namespace burn::runtime

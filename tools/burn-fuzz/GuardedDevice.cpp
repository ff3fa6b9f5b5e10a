#include "tools/burn-fuzz/GuardedDevice.h"

#include <algorithm>
#include <charconv>
#include <vector>

using namespace burn;
using namespace burn::fuzz;
using namespace burn::runtime;

namespace {

// Before a buffer and behind it, as long as what kernels are shown of it.
constexpr size_t kGuardBytes = VulkanOptions::kNeighbourBytes;
static_assert(kGuardBytes % VulkanPool::kAlignment == 0);
constexpr std::byte kFill{0xff}; // NaN of each type, -1, and no value of a boolean

} // namespace

core::Expected<std::unique_ptr<GuardedDevice>> GuardedDevice::open(const std::string &name) {
  core::Expected<uint32_t> index = vulkanIndex(name);
  if (!index)
    return index.status();
  VulkanOptions options = VulkanOptions::fromEnvironment();
  options.exposeNeighbours = true;
  auto device = VulkanDevice::open(*index, options);
  if (!device)
    return device.status();
  return std::unique_ptr<GuardedDevice>(new GuardedDevice(std::move(*device)));
}

core::Expected<BufferRef> GuardedDevice::filled(size_t bytes) {
  core::Expected<BufferRef> buffer = Buffer::allocate(bytes, device_.get());
  if (!buffer)
    return buffer;
  const std::vector<std::byte> fill(bytes, kFill);
  if (core::Status status = device_->upload(fill.data(), **buffer); !status)
    return status;
  return buffer;
}

core::Expected<DeviceMemory> GuardedDevice::allocate(size_t bytes) {
  core::Expected<BufferRef> whole = filled(bytes + 2 * kGuardBytes);
  if (!whole)
    return whole.status();
  DeviceMemory memory = (*whole)->memory();
  memory.offset += kGuardBytes;
  whole_.emplace(std::pair(memory.block, memory.offset), std::move(*whole));
  return memory;
}

void GuardedDevice::release(DeviceMemory memory, size_t bytes) noexcept {
  const auto found = whole_.find({memory.block, memory.offset});
  std::vector<std::byte> contents(found->second->bytes());
  const auto isFill = [](std::byte byte) { return byte == kFill; };
  if (!device_->download(*found->second, contents.data()) ||
      !std::all_of(contents.begin(), contents.begin() + kGuardBytes, isFill) ||
      !std::all_of(contents.begin() + static_cast<std::ptrdiff_t>(kGuardBytes + bytes), contents.end(), isFill))
    isDamaged_ = true;
  whole_.erase(found);
}

core::Status GuardedDevice::poisonFreeMemory(size_t bytes) { return filled(bytes).status(); }

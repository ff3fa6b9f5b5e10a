// A device whose buffers betray what code does beside them.
#pragma once

#include "runtime/Devices/Vulkan/VulkanDevice.h"
#include "runtime/Memory/Buffer.h"

#include <map>

namespace burn::fuzz {

/// A Vulkan device that puts NaN before and behind every buffer, and lets kernels reach them: one that reads there
/// computes something else, one that writes there is found out. Used by one thread.
class GuardedDevice final : public runtime::Device {
public:
  /// The device of a name such as "vulkan:0".
  static core::Expected<std::unique_ptr<GuardedDevice>> open(const std::string &name);

  const std::string &name() const override { return device_->name(); }
  const runtime::PlanTarget &target() const override { return device_->target(); }
  core::Expected<runtime::DeviceMemory> allocate(size_t bytes) override;
  void release(runtime::DeviceMemory memory, size_t bytes) noexcept override;
  runtime::MemoryStats memoryStats() const override { return device_->memoryStats(); }
  core::Status upload(const void *from, runtime::Buffer &to) override { return device_->upload(from, to); }
  core::Status download(runtime::Buffer &from, void *to) override { return device_->download(from, to); }
  core::Status copy(runtime::Buffer &from, runtime::Buffer &to) override { return device_->copy(from, to); }
  core::Status synchronize() override { return device_->synchronize(); }
  core::Expected<std::unique_ptr<runtime::DeviceCode>> load(std::span<const std::byte> code, const core::Plan &plan,
                                                            std::span<const std::byte> driverCache) override {
    return device_->load(code, plan, driverCache);
  }

  const core::GpuTarget &capabilities() const { return device_->capabilities(); }
  /// Fills free memory of the device with NaN, of which scratch memory of the next run is made.
  core::Status poisonFreeMemory(size_t bytes);
  /// Whether something was written beside a buffer; asked once.
  bool takeDamage() { return std::exchange(isDamaged_, false); }

private:
  explicit GuardedDevice(std::unique_ptr<runtime::VulkanDevice> device) : device_(std::move(device)) {}
  core::Expected<runtime::BufferRef> filled(size_t bytes);

  std::unique_ptr<runtime::VulkanDevice> device_;
  std::map<std::pair<void *, uint64_t>, runtime::BufferRef> whole_; // by the place that was handed out
  bool isDamaged_ = false;
};

} // namespace burn::fuzz

// The code of a plan on a Vulkan device: pipelines and the steps that launch them.
#pragma once

#include "runtime/Core/GpuPlan.h"
#include "runtime/Devices/Vulkan/VulkanDevice.h"

#include <unordered_map>

namespace burn::runtime {

class VulkanProgram final : public DeviceCode {
public:
  /// Makes pipelines. Unsupported, with both numbers, where the plan needs a feature that the device lacks or more than
  /// it has of something.
  static core::Expected<std::unique_ptr<VulkanProgram>>
  load(VulkanDevice &device, core::GpuPlan plan, const core::Plan &description, std::span<const std::byte> driverCache);
  ~VulkanProgram() override;

  core::Expected<RunResult> run(std::span<Buffer *const> buffers, const void *scalars) const override;
  bool readsValues() const override { return readsValues_; }
  std::vector<std::byte> driverCache() const override;

  struct Kernel {
    std::string name; // entry point and ops, for labels and times
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
  };

  VulkanDevice &device() const { return device_; }
  const core::GpuPlan &plan() const { return plan_; }
  const Kernel &kernel(uint32_t index) const { return kernels_[index]; }
  /// Where constant `index` stands.
  DeviceMemory constant(uint32_t index) const {
    return {constants_.block, constants_.offset + constantOffsets_[index]};
  }
  bool hasChecks() const { return hasChecks_; }
  /// Bytes of all tables of addresses of a run, one for each launch of a kernel that takes one.
  uint64_t tableBytes() const { return tableBytes_; }
  /// Where that of a launch stands among them.
  uint64_t tableOf(const core::GpuStep &launch) const { return tables_.at(&launch); }
  const std::unordered_map<const core::GpuStep *, uint64_t> &tables() const { return tables_; }
  const core::PlanHostCall &hostCall(uint32_t index) const { return hostCalls_[index]; }

private:
  VulkanProgram(VulkanDevice &device, core::GpuPlan plan) : device_(device), plan_(std::move(plan)) {}
  core::Status checkBuffers(const core::Plan &description) const;
  core::Status checkPrints() const;
  core::Status checkLimits() const;
  core::Status makePipelines(const core::Plan &description, std::span<const std::byte> driverCache);
  core::Status uploadConstants();

  VulkanDevice &device_;
  core::GpuPlan plan_;
  bool hasChecks_ = false, readsValues_ = false;
  std::vector<core::PlanHostCall> hostCalls_;
  std::unordered_map<const core::GpuStep *, uint64_t> tables_;
  uint64_t tableBytes_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<VkDescriptorSetLayout> setLayouts_; // by number of bindings
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  DeviceMemory constants_;
  size_t constantBytes_ = 0;
  std::vector<uint64_t> constantOffsets_;
};

} // namespace burn::runtime

// One run of a plan on a Vulkan device.
#pragma once

#include "runtime/Devices/Vulkan/VulkanProgram.h"

namespace burn::runtime {

class VulkanRun {
public:
  /// Where things stand in the scratch memory, behind the arena.
  struct Offsets {
    uint64_t scalars, error, tables;
  };
  VulkanRun(const VulkanProgram &program, std::span<Buffer *const> buffers, DeviceMemory scratch,
            const Offsets &offsets);
  ~VulkanRun();

  /// Records and submits all steps. Waits for the device where a step reads a value.
  core::Expected<RunResult> execute(const void *scalars);

private:
  /// A range of memory in terms of the device.
  struct Place {
    const VulkanBlock *block;
    uint64_t offset, bytes;
  };
  /// What commands since the last barrier did.
  struct Access {
    Place place;
    bool isWrite;
  };

  Place place(const core::GpuRange &range) const;
  core::Status begin();
  core::Status submit();
  /// Submits the last commands, behind which the error word is read.
  core::Expected<std::shared_ptr<RunOutcome>> submitWithChecks();
  core::Status steps(const std::vector<core::GpuStep> &steps);
  core::Status launch(const core::GpuStep &step);
  core::Status bind(const core::GpuStep &step, const VulkanProgram::Kernel &kernel);
  void pushArguments(const core::GpuStep &step, const VulkanProgram::Kernel &kernel);
  /// Addresses of the ranges of a launch, one after the other.
  void writeAddresses(const core::GpuStep &step, std::byte *to) const;
  /// Puts bytes of the host into the scratch memory.
  void write(uint64_t offset, const std::byte *bytes, uint64_t count);
  void writeTables();
  core::Status copyRange(const core::GpuStep &step);
  core::Status countedLoop(const core::GpuStep &step);
  core::Status print(const core::GpuStep &step);
  /// Copies ranges to the host once all steps before have run, each to its place, and looks at the error word. They fit
  /// into the staging memory beside it.
  core::Status fetch(std::span<const core::GpuRange> ranges, std::span<std::byte *const> to);
  /// Reads numbers of up to 8 bytes.
  core::Status read(std::span<const core::GpuRange> ranges, std::span<uint64_t> values);
  core::Status readByte(const core::GpuRange &range, bool &isSet);
  core::Status writeIndex(const core::GpuRange &range, int64_t index);
  /// Staging memory with room for so many bytes behind `staged_`; what is recorded is submitted where it is full.
  core::Expected<VulkanBlock *> stagingFor(uint64_t bytes);
  /// Puts a barrier before the next command where it depends on one since the last barrier. All that the command does
  /// is given at once.
  void order(std::span<const Access> accesses);
  /// The same for a command that does more than is kept.
  void orderAll();
  void beginTiming(const VulkanProgram::Kernel &kernel);
  void endTiming();
  core::Status collectTimes();

  const VulkanProgram &program_;
  VulkanDevice &device_;
  VulkanQueue &queue_;
  const VulkanFunctions &vk_;
  std::span<Buffer *const> buffers_;
  DeviceMemory scratch_;
  Offsets offsets_;

  VulkanSlot *slot_ = nullptr;
  uint64_t submitted_ = 0;
  uint64_t staged_ = 0;   // bytes of the slot's staging memory in use
  uint32_t recorded_ = 0; // launches in the slot
  int64_t failedCheck_ = -1;
  static constexpr size_t kMostAccesses = 96;
  Access accesses_[kMostAccesses];
  size_t accessCount_ = 0;
  bool touchesAll_ = false; // since then a command did more than is kept

  VkQueryPool queries_ = VK_NULL_HANDLE; // where the device profiles
  std::vector<const std::string *> timed_;
};

} // namespace burn::runtime

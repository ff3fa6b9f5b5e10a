#include "runtime/Devices/Vulkan/VulkanRun.h"

#include "runtime/Executable/HostKernels.h"
#include "runtime/Executable/LoadedPlan.h"
#include "runtime/Memory/Buffer.h"

#include <algorithm>
#include <cstring>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::GpuMemory;
using core::GpuRange;
using core::GpuStep;
using core::GpuStepKind;
using core::Status;

namespace {

// Launches in one command buffer: long loops go to the device in parts, so that it can begin.
constexpr uint32_t kMostLaunches = 1024;

} // namespace

VulkanRun::VulkanRun(const VulkanProgram &program, std::span<Buffer *const> buffers, DeviceMemory scratch,
                     const Offsets &offsets)
    : program_(program), device_(program.device()), queue_(device_.queue()), vk_(device_.vk()), buffers_(buffers),
      scratch_(scratch), offsets_(offsets) {}

VulkanRun::~VulkanRun() { vk_.DestroyQueryPool(device_.handle(), queries_, nullptr); }

VulkanRun::Place VulkanRun::place(const GpuRange &range) const {
  const auto in = [&](DeviceMemory memory, uint64_t offset) {
    return Place{static_cast<const VulkanBlock *>(memory.block), memory.offset + offset, range.bytes};
  };
  switch (range.memory) {
  case GpuMemory::Buffer:
    return in(buffers_[range.index]->memory(), range.offset);
  case GpuMemory::Arena:
    return in(scratch_, range.offset);
  case GpuMemory::Constant:
    return in(program_.constant(range.index), range.offset);
  case GpuMemory::Scalars:
    return in(scratch_, offsets_.scalars + range.offset);
  case GpuMemory::Error:
    return in(scratch_, offsets_.error + range.offset);
  }
  return {};
}

Status VulkanRun::begin() {
  Expected<VulkanSlot *> slot = queue_.begin();
  if (!slot)
    return slot.status();
  slot_ = *slot;
  staged_ = 0;
  recorded_ = 0;
  accessCount_ = 0; // the command buffer begins with a barrier
  touchesAll_ = false;
  if (device_.profiles()) {
    if (!queries_) {
      VkQueryPoolCreateInfo info = vulkanInfo<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
      info.queryType = VK_QUERY_TYPE_TIMESTAMP;
      info.queryCount = 2 * kMostLaunches;
      if (const VkResult result = vk_.CreateQueryPool(device_.handle(), &info, nullptr, &queries_);
          result != VK_SUCCESS)
        return vulkanError("cannot time kernels", result);
    }
    vk_.CmdResetQueryPool(slot_->commands, queries_, 0, 2 * kMostLaunches);
  }
  return Status::ok();
}

Status VulkanRun::submit() {
  Expected<uint64_t> sequence = queue_.submit(*std::exchange(slot_, nullptr));
  if (!sequence)
    return sequence.status();
  submitted_ = *sequence;
  return timed_.empty() ? Status::ok() : collectTimes();
}

Expected<VulkanBlock *> VulkanRun::stagingFor(uint64_t bytes) {
  if (staged_ + bytes > VulkanQueue::kStagingBytes) {
    if (Status status = submit(); !status)
      return status;
    if (Status status = begin(); !status)
      return status;
  }
  return queue_.staging(*slot_);
}

Expected<std::shared_ptr<RunOutcome>> VulkanRun::submitWithChecks() {
  constexpr uint64_t word = 4;
  const Expected<VulkanBlock *> staging = stagingFor(word);
  if (!staging)
    return staging.status();
  queue_.barrier(*slot_);
  queue_.copy(*slot_, *static_cast<const VulkanBlock *>(scratch_.block), scratch_.offset + offsets_.error, **staging,
              staged_, word);
  auto outcome = std::make_shared<VulkanOutcome>(queue_);
  slot_->outcomes.emplace_back(staged_, outcome);
  if (Status status = submit(); !status)
    return status;
  return std::shared_ptr<RunOutcome>(std::move(outcome));
}

Expected<RunResult> VulkanRun::execute(const void *scalars) {
  const Expected<VulkanQueue::Lock> lock = queue_.lock();
  if (!lock)
    return lock.status();
  Status status = begin();
  if (status) {
    write(offsets_.scalars, static_cast<const std::byte *>(scalars), program_.plan().scalarBytes);
    const auto *block = static_cast<const VulkanBlock *>(scratch_.block);
    vk_.CmdFillBuffer(slot_->commands, block->buffer, scratch_.offset + offsets_.error, 4, core::kGpuNoError);
    writeTables();
    queue_.barrier(*slot_);
    status = steps(program_.plan().steps);
  }
  RunResult result;
  if (status && slot_ && program_.hasChecks()) {
    Expected<std::shared_ptr<RunOutcome>> outcome = submitWithChecks();
    status = outcome.status();
    if (outcome)
      result.outcome = std::move(*outcome);
  } else if (status && slot_) {
    status = submit();
  }
  if (slot_)
    queue_.abandon(*slot_);
  result.failedCheck = failedCheck_;
  if (!status && failedCheck_ < 0) {
    // What was submitted uses buffers that the caller may drop.
    (void)queue_.waitAll();
    return status;
  }
  return result;
}

// After each step that ends the run, failedCheck_ is set and an error of code OutOfRange unwinds the steps.
Status VulkanRun::steps(const std::vector<GpuStep> &list) {
  for (const GpuStep &step : list) {
    Status status;
    switch (step.kind) {
    case GpuStepKind::Launch:
      status = launch(step);
      break;
    case GpuStepKind::Copy:
      status = copyRange(step);
      break;
    case GpuStepKind::If: {
      bool taken = false;
      status = readByte(step.ranges[0], taken);
      if (status)
        status = steps(taken ? step.first : step.second);
      break;
    }
    case GpuStepKind::For:
      status = countedLoop(step);
      break;
    case GpuStepKind::While:
      for (bool goesOn = true; goesOn && status;) {
        status = steps(step.second);
        if (status)
          status = readByte(step.ranges[0], goesOn);
        if (status && goesOn)
          status = steps(step.first);
      }
      break;
    case GpuStepKind::Print:
      status = print(step);
      break;
    }
    if (!status)
      return status;
  }
  return Status::ok();
}

Status VulkanRun::launch(const GpuStep &step) {
  if (!step.grid[0] || !step.grid[1] || !step.grid[2])
    return Status::ok();
  if (recorded_ == kMostLaunches) {
    if (Status status = submit(); !status)
      return status;
    if (Status status = begin(); !status)
      return status;
  }
  const core::GpuKernel &source = program_.plan().kernels[step.kernel];
  const VulkanProgram::Kernel &kernel = program_.kernel(step.kernel);
  if (kernel.set)
    if (Status status = bind(step, kernel); !status)
      return status;
  Access accesses[kMostAccesses];
  const size_t known = std::min(step.ranges.size(), kMostAccesses);
  for (size_t i = 0; i < known; ++i)
    accesses[i] = {place(step.ranges[i]), (source.bindings[i] & core::kGpuWrite) != 0};
  if (known < step.ranges.size())
    orderAll();
  else
    order({accesses, known});
  beginTiming(kernel);
  vk_.CmdBindPipeline(slot_->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  pushArguments(step, kernel);
  vk_.CmdDispatch(slot_->commands, step.grid[0], step.grid[1], step.grid[2]);
  endTiming();
  ++recorded_;
  return Status::ok();
}

Status VulkanRun::bind(const GpuStep &step, const VulkanProgram::Kernel &kernel) {
  Expected<VkDescriptorSet> set = queue_.descriptors(*slot_, kernel.set);
  if (!set)
    return set.status();
  constexpr size_t most = 32; // at a time
  VkDescriptorBufferInfo infos[most];
  VkWriteDescriptorSet writes[most];
  for (size_t first = 0; first < step.ranges.size(); first += most) {
    const size_t count = std::min(most, step.ranges.size() - first);
    for (size_t i = 0; i < count; ++i) {
      Place bound = place(step.ranges[first + i]);
      if (!bound.bytes) // never read or written: any memory will do
        bound = {static_cast<const VulkanBlock *>(scratch_.block), scratch_.offset + offsets_.error, 0};
      // Whole words, which the blocks of the pool consist of.
      uint64_t shown = std::max<uint64_t>((bound.bytes + 3) & ~uint64_t(3), 4);
      if (device_.exposesNeighbours())
        shown = std::min(shown + VulkanOptions::kNeighbourBytes, bound.block->bytes - bound.offset);
      infos[i] = {bound.block->buffer, bound.offset, shown};
      writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                   nullptr,
                   *set,
                   static_cast<uint32_t>(first + i),
                   0,
                   1,
                   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                   nullptr,
                   &infos[i],
                   nullptr};
    }
    vk_.UpdateDescriptorSets(device_.handle(), static_cast<uint32_t>(count), writes, 0, nullptr);
  }
  vk_.CmdBindDescriptorSets(slot_->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &*set, 0, nullptr);
  return Status::ok();
}

void VulkanRun::pushArguments(const GpuStep &step, const VulkanProgram::Kernel &kernel) {
  const core::GpuKernel &source = program_.plan().kernels[step.kernel];
  std::byte pushed[256]; // as much as any device has
  const uint32_t addresses = source.addressBytes(), bytes = addresses + source.pushConstantBytes;
  if (source.arguments == core::GpuArguments::Addresses) {
    writeAddresses(step, pushed);
  } else if (source.arguments == core::GpuArguments::Table) {
    const uint64_t table = static_cast<const VulkanBlock *>(scratch_.block)->address + scratch_.offset +
                           offsets_.tables + program_.tableOf(step);
    std::memcpy(pushed, &table, sizeof table);
  }
  if (source.pushConstantBytes)
    std::memcpy(pushed + addresses, step.pushConstants.data(), source.pushConstantBytes);
  if (bytes)
    vk_.CmdPushConstants(slot_->commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, pushed);
}

void VulkanRun::writeAddresses(const GpuStep &step, std::byte *to) const {
  for (const GpuRange &range : step.ranges) {
    const Place at = place(range);
    const uint64_t address = at.block ? at.block->address + at.offset : 0;
    std::memcpy(to, &address, sizeof address);
    to += sizeof address;
  }
}

void VulkanRun::write(uint64_t offset, const std::byte *bytes, uint64_t count) {
  const auto *block = static_cast<const VulkanBlock *>(scratch_.block);
  uint32_t words[256]; // what is written are words; the bytes may end within the last one
  for (uint64_t done = 0; done < count;) {
    const uint64_t given = std::min<uint64_t>(count - done, sizeof words), part = (given + 3) & ~uint64_t(3);
    words[(part - 1) / 4] = 0;
    std::memcpy(words, bytes + done, given);
    vk_.CmdUpdateBuffer(slot_->commands, block->buffer, scratch_.offset + offset + done, part, words);
    done += part;
  }
}

// They do not change in the course of a run, so loops need not write them again.
void VulkanRun::writeTables() {
  if (!program_.tableBytes())
    return;
  std::vector<std::byte> all(program_.tableBytes());
  for (const auto &[launch, offset] : program_.tables())
    writeAddresses(*launch, all.data() + offset);
  write(offsets_.tables, all.data(), all.size());
}

Status VulkanRun::copyRange(const GpuStep &step) {
  const Place from = place(step.ranges[0]), to = place(step.ranges[1]);
  if (!from.bytes)
    return Status::ok();
  const Access accesses[] = {{from, false}, {to, true}};
  order(accesses);
  queue_.copy(*slot_, *from.block, from.offset, *to.block, to.offset, from.bytes);
  return Status::ok();
}

Status VulkanRun::fetch(std::span<const GpuRange> ranges, std::span<std::byte *const> to) {
  constexpr uint64_t word = 8; // places begin at its multiples
  const auto padded = [](uint64_t bytes) { return (bytes + word - 1) / word * word; };
  uint64_t needed = word;
  for (const GpuRange &range : ranges)
    needed += padded(range.bytes);
  const Expected<VulkanBlock *> staging = stagingFor(needed);
  if (!staging)
    return staging.status();
  queue_.barrier(*slot_);
  uint64_t offset = staged_;
  const auto *host = static_cast<const std::byte *>((*staging)->mapped) + offset;
  for (const GpuRange &range : ranges) {
    const Place from = place(range);
    if (from.bytes)
      queue_.copy(*slot_, *from.block, from.offset, **staging, offset, from.bytes);
    offset += padded(range.bytes);
  }
  queue_.copy(*slot_, *static_cast<const VulkanBlock *>(scratch_.block), scratch_.offset + offsets_.error, **staging,
              offset, 4);
  if (Status status = submit(); !status)
    return status;
  if (Status status = queue_.wait(submitted_); !status)
    return status;
  for (size_t i = 0; i < ranges.size(); ++i) {
    std::memcpy(to[i], host, ranges[i].bytes);
    host += padded(ranges[i].bytes);
  }
  uint32_t error = 0;
  std::memcpy(&error, host, sizeof error);
  if (error == core::kGpuNoError)
    return Status::ok();
  failedCheck_ = error;
  return Status::error(ErrorCode::OutOfRange, "a check of the program failed");
}

Status VulkanRun::read(std::span<const GpuRange> ranges, std::span<uint64_t> values) {
  constexpr size_t most = 3;
  std::byte *to[most];
  for (size_t i = 0; i < ranges.size(); ++i) {
    values[i] = 0;
    to[i] = reinterpret_cast<std::byte *>(&values[i]);
  }
  return fetch(ranges, {to, ranges.size()});
}

Status VulkanRun::print(const GpuStep &step) {
  GpuRange part = step.ranges[0];
  std::vector<std::byte> contents(part.bytes);
  // An empty tensor is printed, too, once the checks before it have passed.
  for (uint64_t done = 0; done == 0 || done < contents.size(); done += part.bytes) {
    part.offset = step.ranges[0].offset + done;
    part.bytes = std::min<uint64_t>(contents.size() - done, VulkanQueue::kStagingBytes / 2);
    std::byte *const to = contents.data() + done;
    if (Status status = fetch({&part, 1}, {&to, 1}); !status)
      return status;
    if (Status status = begin(); !status)
      return status;
    if (!part.bytes)
      break;
  }
  void *const operand = contents.data();
  // As on the host, a print that fails ends no program.
  (void)callHostKernel(program_.hostCall(step.kernel), &operand, 1, hostFunctions());
  return Status::ok();
}

Status VulkanRun::readByte(const GpuRange &range, bool &isSet) {
  uint64_t value = 0;
  if (Status status = read({&range, 1}, {&value, 1}); !status)
    return status;
  isSet = (value & 0xff) != 0;
  return begin();
}

Status VulkanRun::countedLoop(const GpuStep &step) {
  uint64_t bits[3];
  if (Status status = read({step.ranges.data(), 3}, bits); !status)
    return status;
  const unsigned unused = 64 - 8 * step.indexBytes;
  int64_t bounds[3];
  for (int i = 0; i < 3; ++i)
    bounds[i] = static_cast<int64_t>(bits[i] << unused) >> unused;
  const auto [lower, upper, stride] = bounds;
  if (stride <= 0) {
    failedCheck_ = step.check;
    return Status::error(ErrorCode::OutOfRange, "the step of a loop is not positive");
  }
  if (Status status = begin(); !status)
    return status;
  const uint64_t distance = upper > lower ? static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower) : 0;
  const uint64_t count = distance / static_cast<uint64_t>(stride) + (distance % static_cast<uint64_t>(stride) != 0);
  for (uint64_t i = 0; i < count; ++i) {
    const auto index = static_cast<int64_t>(static_cast<uint64_t>(lower) + i * static_cast<uint64_t>(stride));
    if (Status status = writeIndex(step.ranges[3], index); !status)
      return status;
    if (Status status = steps(step.first); !status)
      return status;
  }
  return Status::ok();
}

Status VulkanRun::writeIndex(const GpuRange &range, int64_t index) {
  constexpr uint64_t slot = 8;
  const Expected<VulkanBlock *> staging = stagingFor(slot);
  if (!staging)
    return staging.status();
  std::memcpy(static_cast<std::byte *>((*staging)->mapped) + staged_, &index, sizeof index);
  const Access access{place(range), true};
  order({&access, 1});
  queue_.copy(*slot_, **staging, staged_, *access.place.block, access.place.offset, access.place.bytes);
  staged_ += slot;
  return Status::ok();
}

void VulkanRun::order(std::span<const Access> accesses) {
  const auto depends = [&](const Access &next) {
    return std::any_of(accesses_, accesses_ + accessCount_, [&](const Access &before) {
      return (next.isWrite || before.isWrite) && next.place.block == before.place.block &&
             next.place.offset < before.place.offset + before.place.bytes &&
             before.place.offset < next.place.offset + next.place.bytes;
    });
  };
  if (touchesAll_ || accessCount_ + accesses.size() > kMostAccesses || std::ranges::any_of(accesses, depends)) {
    queue_.barrier(*slot_);
    accessCount_ = 0;
    touchesAll_ = false;
  }
  for (const Access &access : accesses)
    accesses_[accessCount_++] = access;
}

void VulkanRun::orderAll() {
  queue_.barrier(*slot_);
  accessCount_ = 0;
  touchesAll_ = true;
}

void VulkanRun::beginTiming(const VulkanProgram::Kernel &kernel) {
  if (const VulkanInstance &vk = device_.instance(); vk.CmdBeginDebugUtilsLabelEXT) {
    VkDebugUtilsLabelEXT label = vulkanInfo<VkDebugUtilsLabelEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT);
    label.pLabelName = kernel.name.c_str();
    vk.CmdBeginDebugUtilsLabelEXT(slot_->commands, &label);
  }
  if (!queries_)
    return;
  const auto first = static_cast<uint32_t>(2 * timed_.size());
  vk_.CmdWriteTimestamp(slot_->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, first);
  timed_.push_back(&kernel.name);
}

void VulkanRun::endTiming() {
  if (device_.instance().CmdEndDebugUtilsLabelEXT)
    device_.instance().CmdEndDebugUtilsLabelEXT(slot_->commands);
  if (!queries_)
    return;
  const auto last = static_cast<uint32_t>(2 * timed_.size() - 1);
  vk_.CmdWriteTimestamp(slot_->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, last);
}

// Profiling waits for each command buffer, which keeps kernels of different runs apart.
Status VulkanRun::collectTimes() {
  std::vector<uint64_t> ticks(2 * timed_.size());
  Status status = queue_.wait(submitted_);
  if (status) {
    const VkResult result = vk_.GetQueryPoolResults(device_.handle(), queries_, 0, static_cast<uint32_t>(ticks.size()),
                                                    ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS)
      status = vulkanError("cannot read the times of kernels", result);
  }
  for (size_t i = 0; i < timed_.size() && status; ++i)
    device_.addTime(*timed_[i], ticks[2 * i + 1] - ticks[2 * i]);
  timed_.clear();
  return status;
}

} // namespace burn::runtime

#include "runtime/Devices/Vulkan/VulkanProgram.h"

#include "runtime/Devices/Vulkan/VulkanRun.h"
#include "runtime/Memory/Buffer.h"

#include <algorithm>
#include <cstring>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

/// Whether a pipeline cache was written by this driver for this device: some drivers trust what they are given.
bool isOwnCache(std::span<const std::byte> cache, const VkPhysicalDeviceProperties &properties) {
  VkPipelineCacheHeaderVersionOne header;
  if (cache.size() < sizeof header)
    return false;
  std::memcpy(&header, cache.data(), sizeof header);
  return header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && header.vendorID == properties.vendorID &&
         header.deviceID == properties.deviceID &&
         std::memcmp(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

/// Entry point and ops of a kernel, which tell it from those of other plans: "kernel_3_blocks: mul reduce". Plans
/// number their kernels anew.
std::string labelOf(const core::GpuKernel &kernel, const core::Plan &description) {
  std::string label = kernel.entry;
  if (kernel.cluster >= description.kernels.size())
    return label;
  constexpr size_t most = 8;
  const std::vector<std::string> &ops = description.kernels[kernel.cluster].ops;
  for (size_t i = 0; i < std::min(ops.size(), most); ++i)
    label.append(i ? " " : ": ").append(ops[i]);
  if (ops.size() > most)
    label.append(" and ").append(std::to_string(ops.size() - most)).append(" more");
  return label;
}

} // namespace

Expected<std::unique_ptr<VulkanProgram>> VulkanProgram::load(VulkanDevice &device, core::GpuPlan plan,
                                                             const core::Plan &description,
                                                             std::span<const std::byte> driverCache) {
  auto program = std::unique_ptr<VulkanProgram>(new VulkanProgram(device, std::move(plan)));
  program->hasChecks_ = !description.checks.empty();
  program->hostCalls_ = description.hostCalls;
  core::forEachStep(program->plan_.steps, [&](const core::GpuStep &step) {
    program->readsValues_ |= step.kind != core::GpuStepKind::Launch && step.kind != core::GpuStepKind::Copy;
    if (step.kind == core::GpuStepKind::Launch &&
        program->plan_.kernels[step.kernel].arguments == core::GpuArguments::Table)
      program->tables_[&step] = std::exchange(program->tableBytes_, program->tableBytes_ + 8 * step.ranges.size());
  });
  Status status = program->checkBuffers(description);
  if (status)
    status = program->checkPrints();
  if (status)
    status = program->checkLimits();
  if (status)
    status = program->makePipelines(description, driverCache);
  if (status)
    status = program->uploadConstants();
  if (!status)
    return status;
  return program;
}

VulkanProgram::~VulkanProgram() {
  // Launches may be in flight. A device that is lost runs none.
  (void)device_.synchronize();
  const VulkanFunctions &vk = device_.vk();
  for (const Kernel &kernel : kernels_) {
    vk.DestroyPipeline(device_.handle(), kernel.pipeline, nullptr);
    vk.DestroyPipelineLayout(device_.handle(), kernel.layout, nullptr);
  }
  for (VkDescriptorSetLayout layout : setLayouts_)
    vk.DestroyDescriptorSetLayout(device_.handle(), layout, nullptr);
  vk.DestroyPipelineCache(device_.handle(), cache_, nullptr);
  if (constants_.block)
    device_.release(constants_, constantBytes_);
}

Status VulkanProgram::checkBuffers(const core::Plan &description) const {
  std::vector<uint64_t> sizes;
  for (const core::PlanArg &arg : description.args)
    if (arg.kind == core::ArgKind::Buffer)
      sizes.push_back(static_cast<uint64_t>(arg.type.byteSize()));
  for (const core::PlanResult &result : description.results)
    sizes.push_back(static_cast<uint64_t>(result.type.byteSize()));
  bool fits = sizes.size() == plan_.bufferBytes.size() && plan_.scalarBytes <= ((description.scalarBytes + 3) & ~3u);
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = plan_.bufferBytes[i] <= sizes[i];
  return fits ? Status::ok()
              : Status::error(ErrorCode::DataLoss, "malformed plan: its code is for other arguments and results");
}

Status VulkanProgram::checkPrints() const {
  bool fits = true;
  core::forEachStep(plan_.steps, [&](const core::GpuStep &step) {
    if (step.kind != core::GpuStepKind::Print)
      return;
    const core::PlanHostCall *call = step.kernel < hostCalls_.size() ? &hostCalls_[step.kernel] : nullptr;
    fits &= call && call->results.empty() && call->operands.size() == 1 &&
            static_cast<uint64_t>(call->operands[0].byteSize()) == step.ranges[0].bytes;
  });
  return fits ? Status::ok()
              : Status::error(ErrorCode::DataLoss, "malformed plan: its code prints what it does not have");
}

Status VulkanProgram::checkLimits() const {
  const core::GpuTarget &has = device_.capabilities();
  for (uint32_t bit = 1; bit <= core::kGpuAllFeatures; bit <<= 1)
    if (plan_.features & ~has.features & bit)
      return Status::error(ErrorCode::Unsupported, "the program needs " +
                                                       std::string(core::gpuFeatureName(core::GpuFeature(bit))) +
                                                       ", which " + device_.name() + " (" +
                                                       device_.properties().deviceName + ") does not have");
  const auto exceeds = [&](const char *what, uint64_t needs, uint64_t limit) {
    return Status::error(ErrorCode::Unsupported, std::string("the program needs ") + what + " of " +
                                                     std::to_string(needs) + ", " + device_.name() + " (" +
                                                     device_.properties().deviceName + ") allows " +
                                                     std::to_string(limit));
  };
  const struct {
    const char *what;
    uint64_t needs, limit;
  } limits[] = {
      {"a number of buffers in one kernel", plan_.maxBindings(), has.maxBindings},
      {"a buffer size in bytes", plan_.maxBindingBytes(), has.maxBindingBytes},
      {"a buffer size in bytes", plan_.maxAddressedBytes(), has.maxBufferBytes()},
      {"a number of invocations in a workgroup", plan_.maxInvocations(), has.maxInvocations},
      {"workgroup memory in bytes", plan_.maxWorkgroupMemoryBytes(), has.workgroupMemoryBytes},
      {"push constants in bytes", plan_.maxPushConstantBytes(), has.pushConstantBytes},
      {"a number of workgroups along x", plan_.maxGrid()[0], has.maxGrid[0]},
      {"a number of workgroups along y", plan_.maxGrid()[1], has.maxGrid[1]},
      {"a number of workgroups along z", plan_.maxGrid()[2], has.maxGrid[2]},
  };
  for (const auto &limit : limits)
    if (limit.needs > limit.limit)
      return exceeds(limit.what, limit.needs, limit.limit);
  for (const core::GpuKernel &kernel : plan_.kernels) {
    if (kernel.subgroupSize != 0 && kernel.subgroupSize != has.subgroupSize)
      return Status::error(ErrorCode::Unsupported, "the program needs subgroups of " +
                                                       std::to_string(kernel.subgroupSize) + " invocations, those of " +
                                                       device_.name() + " (" + device_.properties().deviceName +
                                                       ") have " + std::to_string(has.subgroupSize));
    for (size_t axis = 0; axis < 3; ++axis)
      if (kernel.workgroup[axis] > has.maxWorkgroup[axis])
        return exceeds("a workgroup size along one axis", kernel.workgroup[axis], has.maxWorkgroup[axis]);
  }
  return Status::ok();
}

Status VulkanProgram::makePipelines(const core::Plan &description, std::span<const std::byte> driverCache) {
  const VulkanFunctions &vk = device_.vk();
  VkDevice handle = device_.handle();
  VkPipelineCacheCreateInfo cacheInfo =
      vulkanInfo<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  if (isOwnCache(driverCache, device_.properties())) {
    cacheInfo.initialDataSize = driverCache.size();
    cacheInfo.pInitialData = driverCache.data();
  }
  // It only saves time: a driver that refuses what it wrote itself begins anew, and one that keeps nothing does
  // without.
  if (vk.CreatePipelineCache(handle, &cacheInfo, nullptr, &cache_) != VK_SUCCESS) {
    cacheInfo.initialDataSize = 0;
    cacheInfo.pInitialData = nullptr;
    if (vk.CreatePipelineCache(handle, &cacheInfo, nullptr, &cache_) != VK_SUCCESS)
      cache_ = VK_NULL_HANDLE;
  }

  VkResult result = VK_SUCCESS;
  setLayouts_.resize(plan_.maxBindings() + 1, VK_NULL_HANDLE);
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < setLayouts_.size() && result == VK_SUCCESS; ++i) {
    VkDescriptorSetLayoutCreateInfo info =
        vulkanInfo<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = i;
    info.pBindings = bindings.data();
    result = vk.CreateDescriptorSetLayout(handle, &info, nullptr, &setLayouts_[i]);
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }

  std::vector<VkShaderModule> modules(plan_.modules.size(), VK_NULL_HANDLE);
  for (size_t i = 0; i < modules.size() && result == VK_SUCCESS; ++i) {
    VkShaderModuleCreateInfo info = vulkanInfo<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = plan_.modules[i].words.size() * sizeof(uint32_t);
    info.pCode = plan_.modules[i].words.data();
    result = vk.CreateShaderModule(handle, &info, nullptr, &modules[i]);
  }

  kernels_.resize(plan_.kernels.size());
  std::string failed = "cannot make the shaders of a program";
  for (size_t i = 0; i < kernels_.size() && result == VK_SUCCESS; ++i) {
    const core::GpuKernel &source = plan_.kernels[i];
    Kernel &kernel = kernels_[i];
    kernel.name = labelOf(source, description);
    const bool isBound = source.arguments == core::GpuArguments::Bindings;
    kernel.set = isBound ? setLayouts_[source.bindings.size()] : VK_NULL_HANDLE;
    const VkPushConstantRange pushed{VK_SHADER_STAGE_COMPUTE_BIT, 0, source.addressBytes() + source.pushConstantBytes};
    VkPipelineLayoutCreateInfo layout =
        vulkanInfo<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout.setLayoutCount = isBound ? 1 : 0;
    layout.pSetLayouts = &kernel.set;
    layout.pushConstantRangeCount = pushed.size ? 1 : 0;
    layout.pPushConstantRanges = &pushed;
    result = vk.CreatePipelineLayout(handle, &layout, nullptr, &kernel.layout);
    if (result != VK_SUCCESS)
      break;
    VkComputePipelineCreateInfo info =
        vulkanInfo<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  modules[source.module],
                  source.entry.c_str(),
                  nullptr};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups =
        vulkanInfo<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    if (source.subgroupSize != 0) {
      subgroups.requiredSubgroupSize = source.subgroupSize;
      info.stage.pNext = &subgroups;
      info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
    info.layout = kernel.layout;
    result = vk.CreateComputePipelines(handle, cache_, 1, &info, nullptr, &kernel.pipeline);
    failed = "the driver of " + device_.name() + " cannot compile kernel " + kernel.name;
    if (result == VK_SUCCESS)
      device_.instance().setName(handle, VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(kernel.pipeline),
                                 kernel.name);
  }
  for (VkShaderModule module : modules)
    vk.DestroyShaderModule(handle, module, nullptr);
  return result == VK_SUCCESS ? takeValidationErrors() : vulkanError(failed, result);
}

Status VulkanProgram::uploadConstants() {
  constexpr uint64_t mask = core::kGpuBindingAlignment - 1;
  for (const auto &constant : plan_.constants) {
    constantOffsets_.push_back(constantBytes_);
    constantBytes_ = (constantBytes_ + constant.size() + mask) & ~mask;
  }
  if (!constantBytes_)
    return Status::ok();
  std::vector<std::byte> all(constantBytes_);
  for (size_t i = 0; i < plan_.constants.size(); ++i)
    std::ranges::copy(plan_.constants[i], all.begin() + static_cast<std::ptrdiff_t>(constantOffsets_[i]));
  Expected<BufferRef> buffer = Buffer::allocate(constantBytes_, &device_);
  if (!buffer)
    return buffer.status();
  if (Status status = device_.upload(all.data(), **buffer); !status)
    return status;
  constants_ = (*buffer)->takeMemory();
  for (auto &constant : plan_.constants) // the device has them now
    constant = {};
  return Status::ok();
}

Expected<RunResult> VulkanProgram::run(std::span<Buffer *const> buffers, const void *scalars) const {
  // Scratch, the copy of the scalars, the error word and tables of addresses, one allocation: the arena comes first,
  // aligned as it has to be.
  constexpr uint64_t mask = core::kGpuBindingAlignment - 1;
  const uint64_t scalarOffset = (plan_.arenaBytes + mask) & ~mask;
  const uint64_t errorOffset = (scalarOffset + plan_.scalarBytes + mask) & ~mask;
  const uint64_t tableOffset = errorOffset + core::kGpuBindingAlignment;
  const size_t bytes = tableOffset + tableBytes_;
  Expected<DeviceMemory> scratch = device_.allocate(bytes);
  if (!scratch)
    return scratch.status();
  VulkanRun run(*this, buffers, *scratch, {scalarOffset, errorOffset, tableOffset});
  Expected<RunResult> result = run.execute(scalars);
  device_.release(*scratch, bytes);
  // Once steps were recorded, donated arguments may be overwritten: nothing is as it was.
  if (!result && result.status().code() == ErrorCode::OutOfMemory)
    return Status::error(ErrorCode::Unavailable, result.status().message());
  return result;
}

std::vector<std::byte> VulkanProgram::driverCache() const {
  const VulkanFunctions &vk = device_.vk();
  size_t size = 0;
  std::vector<std::byte> bytes;
  if (!cache_ || vk.GetPipelineCacheData(device_.handle(), cache_, &size, nullptr) != VK_SUCCESS)
    return bytes;
  bytes.resize(size);
  if (vk.GetPipelineCacheData(device_.handle(), cache_, &size, bytes.data()) != VK_SUCCESS)
    return {};
  bytes.resize(size);
  // A header alone says that the driver keeps nothing.
  return size > sizeof(VkPipelineCacheHeaderVersionOne) ? bytes : std::vector<std::byte>();
}

} // namespace burn::runtime

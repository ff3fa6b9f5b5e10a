#include "runtime/Devices/Vulkan/VulkanDevice.h"
#include "runtime/Core/ByteSize.h"
#include "runtime/Core/Environment.h"

#include "runtime/Core/GpuPlan.h"
#include "runtime/Devices/Vulkan/VulkanMatrices.h"
#include "runtime/Devices/Vulkan/VulkanProbe.h"
#include "runtime/Devices/Vulkan/VulkanProgram.h"
#include "runtime/Memory/Buffer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

/// The features that code may use, in the structures that a device is asked and created with.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core = vulkanInfo<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  VkPhysicalDevice16BitStorageFeatures storage16 =
      vulkanInfo<VkPhysicalDevice16BitStorageFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  VkPhysicalDevice8BitStorageFeatures storage8 =
      vulkanInfo<VkPhysicalDevice8BitStorageFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES);
  VkPhysicalDeviceShaderFloat16Int8Features small = vulkanInfo<VkPhysicalDeviceShaderFloat16Int8Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
  VkPhysicalDeviceFloatControlsProperties floats = vulkanInfo<VkPhysicalDeviceFloatControlsProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES); // all false where a device has no such thing
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups = vulkanInfo<VkPhysicalDeviceSubgroupSizeControlFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
  VkPhysicalDeviceSubgroupSizeControlProperties subgroupSizes =
      vulkanInfo<VkPhysicalDeviceSubgroupSizeControlProperties>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  VkPhysicalDeviceSubgroupProperties subgroup =
      vulkanInfo<VkPhysicalDeviceSubgroupProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  VkPhysicalDeviceVulkanMemoryModelFeatures memoryModel = vulkanInfo<VkPhysicalDeviceVulkanMemoryModelFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
  VulkanMatrixFeatures matrices;
  std::vector<core::GpuMatrixShape> matrixShapes;
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses = vulkanInfo<VkPhysicalDeviceBufferDeviceAddressFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  std::vector<const char *> extensions;

  FeatureChain(const VulkanInstance &vk, VkPhysicalDevice device, uint32_t version) {
    core.pNext = &storage16;
    void **last = &storage16.pNext;
    uint32_t count = 0;
    vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> found(count);
    vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, found.data());
    const auto isNamed = [&](const char *extension) {
      return std::ranges::any_of(found,
                                 [&](const auto &entry) { return std::strcmp(entry.extensionName, extension) == 0; });
    };
    const auto link = [&](const char *extension, void *structure, void **next) {
      const bool named = isNamed(extension);
      if (!named && version < VK_API_VERSION_1_2)
        return;
      if (named)
        extensions.push_back(extension);
      *last = structure;
      last = next;
    };
    VkPhysicalDeviceProperties2 properties =
        vulkanInfo<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    properties.pNext = &subgroup;
    if (isNamed(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME)) {
      extensions.push_back(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
      floats.pNext = std::exchange(properties.pNext, &floats);
    }
    if (isNamed(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) {
      extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
      subgroupSizes.pNext = std::exchange(properties.pNext, &subgroupSizes);
      *last = &subgroups;
      last = &subgroups.pNext;
    }
    vk.GetPhysicalDeviceProperties2(device, &properties);
    link(VK_KHR_8BIT_STORAGE_EXTENSION_NAME, &storage8, &storage8.pNext);
    link(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, &small, &small.pNext);
    // Their code is SPIR-V 1.6. A validation layer that came before them takes it for an error.
    const bool canValidate =
        vk.validationVersion == 0 || vk.validationVersion >= VK_MAKE_API_VERSION(0, 1, 3, kMatrixPatch);
    if (isNamed(kMatrixExtension) && version >= VK_API_VERSION_1_3 && canValidate) {
      link(VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, &memoryModel, &memoryModel.pNext);
      link(kMatrixExtension, &matrices, &matrices.pNext);
      matrixShapes = runtime::matrixShapes(vk, device);
    }
    link(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, &addresses, &addresses.pNext);
    vk.GetPhysicalDeviceFeatures2(device, &core);
    // What no code uses stays off: some features cost time.
    const VkPhysicalDeviceFeatures all = core.features;
    core.features = {};
    core.features.shaderFloat64 = all.shaderFloat64;
    core.features.shaderInt64 = all.shaderInt64;
    core.features.shaderInt16 = all.shaderInt16;
    storage16.uniformAndStorageBuffer16BitAccess = storage16.storagePushConstant16 = storage16.storageInputOutput16 = 0;
    storage8.uniformAndStorageBuffer8BitAccess = storage8.storagePushConstant8 = 0;
    addresses.bufferDeviceAddressCaptureReplay = addresses.bufferDeviceAddressMultiDevice = 0;
  }

  uint32_t bits() const {
    const auto bit = [](VkBool32 has, core::GpuFeature feature) { return has ? uint32_t(feature) : 0u; };
    return bit(core.features.shaderFloat64, core::kGpuFloat64) | bit(small.shaderFloat16, core::kGpuFloat16) |
           bit(core.features.shaderInt64, core::kGpuInt64) | bit(core.features.shaderInt16, core::kGpuInt16) |
           bit(small.shaderInt8, core::kGpuInt8) | bit(storage16.storageBuffer16BitAccess, core::kGpuStorage16) |
           bit(storage8.storageBuffer8BitAccess, core::kGpuStorage8) | bit(hasSubgroups(), core::kGpuSubgroups) |
           bit(hasMatrices(), core::kGpuMatrices) | bit(hasAddresses(), core::kGpuAddresses) | floatControls();
  }

  bool hasAddresses() const { return addresses.bufferDeviceAddress && core.features.shaderInt64; }

  /// Whether a kernel can have whole subgroups of the usual size, as many as its workgroup needs, that shuffle.
  bool hasSubgroups() const {
    return subgroups.subgroupSizeControl && subgroups.computeFullSubgroups && subgroup.subgroupSize > 1 &&
           (subgroup.supportedStages & subgroupSizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) &&
           uint64_t(subgroupSizes.maxComputeWorkgroupSubgroups) * subgroup.subgroupSize >= core::kGpuMostInvocations;
  }

  bool hasMatrices() const {
    return matrices.cooperativeMatrix && memoryModel.vulkanMemoryModel && hasSubgroups() && !matrixShapes.empty();
  }

  // Code asks for all of them at once, so that of a device that cannot have them apart none is left.
  uint32_t floatControls() const {
    const auto allowed = [](VkShaderFloatControlsIndependence independence, uint32_t b16, uint32_t b32, uint32_t b64) {
      const bool outerAgree = (b16 != 0) == (b64 != 0), allAgree = outerAgree && (b16 != 0) == (b32 != 0);
      if (independence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL || allAgree)
        return b16 | b32 | b64;
      return independence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY ? b32 | (outerAgree ? b16 | b64 : 0) : 0;
    };
    const auto bit = [](VkBool32 has, core::GpuFeature feature) { return has ? uint32_t(feature) : 0u; };
    return allowed(floats.roundingModeIndependence,
                   bit(floats.shaderSignedZeroInfNanPreserveFloat16 && floats.shaderRoundingModeRTEFloat16,
                       core::kGpuExact16),
                   bit(floats.shaderSignedZeroInfNanPreserveFloat32 && floats.shaderRoundingModeRTEFloat32,
                       core::kGpuExact32),
                   bit(floats.shaderSignedZeroInfNanPreserveFloat64 && floats.shaderRoundingModeRTEFloat64,
                       core::kGpuExact64)) |
           allowed(floats.denormBehaviorIndependence, bit(floats.shaderDenormPreserveFloat16, core::kGpuDenorms16),
                   bit(floats.shaderDenormPreserveFloat32, core::kGpuDenorms32),
                   bit(floats.shaderDenormPreserveFloat64, core::kGpuDenorms64));
  }
};

std::string hex(const uint8_t *bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text.append({"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15]});
  return text;
}

const VulkanBlock &blockOf(const Buffer &buffer) { return *static_cast<VulkanBlock *>(buffer.memory().block); }

} // namespace

VulkanOptions VulkanOptions::fromEnvironment() {
  VulkanOptions options;
  if (const char *limit = std::getenv("BURN_DEVICE_MEMORY_LIMIT"); limit && *limit) {
    if (const auto bytes = core::parseByteSize(limit))
      options.memoryLimit = static_cast<uint64_t>(*bytes);
    else
      core::reportIgnored("BURN_DEVICE_MEMORY_LIMIT", limit, core::kByteSizeText);
  }
  if (const char *features = std::getenv("BURN_VULKAN_FEATURES"))
    options.features = features;
  const char *profile = std::getenv("BURN_PROFILE");
  options.profile = profile && std::strcmp(profile, "1") == 0;
  return options;
}

Expected<std::unique_ptr<VulkanDevice>> VulkanDevice::open(uint32_t index, const VulkanOptions &options) {
  Expected<const VulkanInstance *> instance = VulkanInstance::get();
  if (!instance)
    return instance.status();
  const VulkanInstance &vk = **instance;
  uint32_t count = 0;
  VkResult result = vk.EnumeratePhysicalDevices(vk.instance, &count, nullptr);
  std::vector<VkPhysicalDevice> found(count);
  if (result == VK_SUCCESS && count)
    result = vk.EnumeratePhysicalDevices(vk.instance, &count, found.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return vulkanError("cannot list the Vulkan devices", result);
  found.resize(count);

  std::string names;
  uint32_t number = 0;
  for (VkPhysicalDevice physical : found) {
    VkPhysicalDeviceProperties2 properties =
        vulkanInfo<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    vk.GetPhysicalDeviceProperties2(physical, &properties);
    uint32_t families = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(physical, &families, nullptr);
    std::vector<VkQueueFamilyProperties> queues(families);
    vk.GetPhysicalDeviceQueueFamilyProperties(physical, &families, queues.data());
    const auto family =
        std::ranges::find_if(queues, [](const auto &queue) { return (queue.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });
    if (properties.properties.apiVersion < VK_API_VERSION_1_1 || family == queues.end())
      continue;
    names.append(names.empty() ? "" : ", ").append("vulkan:").append(std::to_string(number)).append(" ");
    names.append(properties.properties.deviceName);
    if (number++ != index)
      continue;
    auto device = std::unique_ptr<VulkanDevice>(new VulkanDevice(vk, "vulkan:" + std::to_string(index)));
    if (Status status = device->create(physical, static_cast<uint32_t>(family - queues.begin()), options); !status)
      return status;
    return device;
  }
  return Status::error(
      ErrorCode::Unavailable,
      "there is no device vulkan:" + std::to_string(index) +
          (names.empty() ? "; no driver offers a Vulkan 1.1 device that can compute" : "; there are " + names));
}

Status VulkanDevice::create(VkPhysicalDevice physical, uint32_t family, const VulkanOptions &options) {
  readCapabilities(physical);
  FeatureChain features(instance_, physical, std::min(properties_.apiVersion, instance_.version));
  capabilities_.subgroupSize = features.subgroup.subgroupSize;
  capabilities_.features = features.bits();
  capabilities_.matrices = features.matrixShapes;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = vulkanInfo<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = vulkanInfo<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(features.extensions.size());
  info.ppEnabledExtensionNames = features.extensions.data();
  if (const VkResult result = instance_.CreateDevice(physical, &info, nullptr, &device_); result != VK_SUCCESS)
    return vulkanError("cannot open " + name_ + " (" + properties_.deviceName + ")", result);
  vk_.load(instance_, device_);
  if (Status status = takeValidationErrors(); !status)
    return status;

  VkPhysicalDeviceMemoryProperties memory;
  instance_.GetPhysicalDeviceMemoryProperties(physical, &memory);
  const bool hasAddresses = features.hasAddresses() && vk_.GetBufferDeviceAddress;
  if (!hasAddresses)
    capabilities_.features &= ~core::kGpuAddresses;
  memory_ = std::make_unique<VulkanMemory>(instance_, vk_, device_, memory, hasAddresses);
  pool_ = std::make_unique<VulkanPool>(*memory_, name_, options.memoryLimit);
  if (Status status = openQueue(family); !status)
    return status;
  // It only saves time: a device that cannot be asked has none. Nothing of the question stays.
  if (const Expected<uint32_t> fuses = findMultiplyAdd(*this))
    capabilities_.features |= *fuses;
  if (Status status = restrictFeatures(options.features); !status)
    return status;
  if (Status status = openQueue(family); !status)
    return status;
  pool_->trim();
  exposeNeighbours_ = options.exposeNeighbours;
  profile_ = options.profile && properties_.limits.timestampComputeAndGraphics;

  planTarget_.kind = BURN_DEVICE_VULKAN;
  planTarget_.cpu = properties_.deviceName;
  planTarget_.features = capabilities_.str();
  planTarget_.driver = std::to_string(properties_.vendorID) + ":" + std::to_string(properties_.deviceID) + ":" +
                       std::to_string(properties_.driverVersion) + ":" +
                       hex(properties_.pipelineCacheUUID, VK_UUID_SIZE);
  return Status::ok();
}

Status VulkanDevice::openQueue(uint32_t family) {
  queue_ = std::make_unique<VulkanQueue>(vk_, *memory_, device_, family);
  return queue_->open();
}

void VulkanDevice::readCapabilities(VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties2 properties =
      vulkanInfo<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  VkPhysicalDeviceMaintenance3Properties memory =
      vulkanInfo<VkPhysicalDeviceMaintenance3Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  properties.pNext = &memory;
  instance_.GetPhysicalDeviceProperties2(physical, &properties);
  properties_ = properties.properties;
  const VkPhysicalDeviceLimits &limits = properties_.limits;
  capabilities_.maxInvocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupSize, 3, capabilities_.maxWorkgroup.begin());
  std::copy_n(limits.maxComputeWorkGroupCount, 3, capabilities_.maxGrid.begin());
  capabilities_.workgroupMemoryBytes = limits.maxComputeSharedMemorySize;
  capabilities_.pushConstantBytes = limits.maxPushConstantsSize;
  capabilities_.maxBindings = std::min(
      {limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers, limits.maxPerStageResources});
  capabilities_.maxBindingBytes = limits.maxStorageBufferRange;
  capabilities_.maxAddressedBytes = memory.maxMemoryAllocationSize;
  // Addresses are for what cannot be bound: llvmpipe loads by them lane for lane, at a seventh of the speed, and of no
  // other driver it is known that its kernels gain by them.
  capabilities_.boundBuffers = capabilities_.maxBindings;
  // LP_MAX_TGSI_LOOP_ITERATIONS of Mesa: this driver ends loops there without a word.
  if (std::string_view(properties_.deviceName).starts_with("llvmpipe"))
    capabilities_.loopIterations = 65535;
}

Status VulkanDevice::restrictFeatures(std::string_view words) {
  while (!words.empty()) {
    const size_t comma = words.find(',');
    const std::string_view word = words.substr(0, comma);
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
    if (word == "+addresses" && capabilities_.features & core::kGpuAddresses) {
      capabilities_.boundBuffers = 0;
      continue;
    }
    uint32_t found = 0;
    std::string names;
    for (uint32_t bit = 1; bit <= core::kGpuAllFeatures; bit <<= 1) {
      const std::string_view name = core::gpuFeatureName(core::GpuFeature(bit));
      names.append(names.empty() ? "-" : ", -").append(name);
      if (word.starts_with('-') && word.substr(1) == name)
        found = bit;
    }
    if (!found)
      return Status::invalid("BURN_VULKAN_FEATURES: expected words of " + names +
                             ((capabilities_.features & core::kGpuAddresses) ? ", +addresses" : "") + ", got '" +
                             std::string(word) + "'");
    capabilities_.features &= ~found;
  }
  if (!(capabilities_.features & core::kGpuMatrices))
    capabilities_.matrices.clear();
  if (!(capabilities_.features & core::kGpuInt64)) // which they are
    capabilities_.features &= ~core::kGpuAddresses;
  return Status::ok();
}

VulkanDevice::~VulkanDevice() {
  if (!device_)
    return;
  queue_.reset();
  pool_.reset();
  vk_.DestroyDevice(device_, nullptr);
  reportTimes();
}

void VulkanDevice::reportTimes() {
  if (times_.empty())
    return;
  std::ranges::sort(times_, [](const auto &a, const auto &b) { return a.nanoseconds > b.nanoseconds; });
  std::fprintf(stderr, "%s: %12s %10s %s\n", name_.c_str(), "us", "launches", "kernel");
  for (const KernelTime &time : times_)
    std::fprintf(stderr, "%s: %12.1f %10llu %s\n", name_.c_str(), static_cast<double>(time.nanoseconds) * 1e-3,
                 static_cast<unsigned long long>(time.launches), time.name.c_str());
  times_.clear();
}

void VulkanDevice::addTime(const std::string &kernel, uint64_t ticks) {
  auto found = std::ranges::find(times_, kernel, &KernelTime::name);
  if (found == times_.end())
    found = times_.insert(found, {kernel, 0, 0});
  ++found->launches;
  found->nanoseconds += static_cast<uint64_t>(static_cast<double>(ticks) * properties_.limits.timestampPeriod);
}

Expected<DeviceMemory> VulkanDevice::allocate(size_t bytes) {
  Expected<DeviceMemory> memory = pool_->allocate(bytes);
  if (memory || memory.status().code() != ErrorCode::OutOfMemory)
    return memory;
  // Blocks without ranges in use may still be read by work in flight.
  if (Status status = synchronize(); !status)
    return status;
  pool_->trim();
  return pool_->allocate(bytes);
}

Status VulkanDevice::upload(const void *from, Buffer &to) {
  const Expected<VulkanQueue::Lock> lock = queue_->lock();
  if (!lock)
    return lock.status();
  for (uint64_t done = 0; done < to.bytes();) {
    const uint64_t part = std::min<uint64_t>(to.bytes() - done, VulkanQueue::kStagingBytes);
    Expected<VulkanSlot *> slot = queue_->begin();
    if (!slot)
      return slot.status();
    Expected<VulkanBlock *> staging = queue_->staging(**slot);
    if (!staging) {
      queue_->abandon(**slot);
      return staging.status();
    }
    std::memcpy((*staging)->mapped, static_cast<const std::byte *>(from) + done, part);
    queue_->copy(**slot, **staging, 0, blockOf(to), to.memory().offset + done, part);
    Expected<uint64_t> sequence = queue_->submit(**slot);
    if (!sequence)
      return sequence.status();
    done += part;
  }
  return Status::ok();
}

Status VulkanDevice::download(Buffer &from, void *to) {
  const Expected<VulkanQueue::Lock> lock = queue_->lock();
  if (!lock)
    return lock.status();
  for (uint64_t done = 0; done < from.bytes();) {
    const uint64_t part = std::min<uint64_t>(from.bytes() - done, VulkanQueue::kStagingBytes);
    Expected<VulkanSlot *> slot = queue_->begin();
    if (!slot)
      return slot.status();
    Expected<VulkanBlock *> staging = queue_->staging(**slot);
    if (!staging) {
      queue_->abandon(**slot);
      return staging.status();
    }
    queue_->copy(**slot, blockOf(from), from.memory().offset + done, **staging, 0, part);
    Expected<uint64_t> sequence = queue_->submit(**slot);
    if (!sequence)
      return sequence.status();
    if (Status status = queue_->wait(*sequence); !status)
      return status;
    std::memcpy(static_cast<std::byte *>(to) + done, (*staging)->mapped, part);
    done += part;
  }
  return Status::ok();
}

Status VulkanDevice::copy(Buffer &from, Buffer &to) {
  if (!from.bytes())
    return Status::ok();
  const Expected<VulkanQueue::Lock> lock = queue_->lock();
  if (!lock)
    return lock.status();
  Expected<VulkanSlot *> slot = queue_->begin();
  if (!slot)
    return slot.status();
  queue_->copy(**slot, blockOf(from), from.memory().offset, blockOf(to), to.memory().offset, from.bytes());
  Expected<uint64_t> sequence = queue_->submit(**slot);
  if (!sequence)
    return sequence.status();
  return Status::ok();
}

Status VulkanDevice::synchronize() {
  const Expected<VulkanQueue::Lock> lock = queue_->lock();
  if (!lock)
    return lock.status();
  return queue_->waitAll();
}

Expected<std::unique_ptr<DeviceCode>> VulkanDevice::load(std::span<const std::byte> code, const core::Plan &plan,
                                                         std::span<const std::byte> driverCache) {
  Expected<core::GpuPlan> parsed = core::parseGpuPlan(code);
  if (!parsed)
    return parsed.status();
  Expected<std::unique_ptr<VulkanProgram>> program = VulkanProgram::load(*this, std::move(*parsed), plan, driverCache);
  if (!program)
    return program.status();
  return std::unique_ptr<DeviceCode>(std::move(*program));
}

} // namespace burn::runtime

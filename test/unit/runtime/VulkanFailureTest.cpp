// What a driver refuses or loses: errors that say so, nothing left behind, and the program goes on.
#include "CacheFixture.h"
#include "VulkanFixture.h"

#include "runtime/Compiler/PlanKey.h"

#include <cerrno>
#include <filesystem>

using namespace burn::runtime;
using namespace burn::runtime::test;
using burn::ErrorCode;

namespace {

/// Puts another function in the place of a driver's while it lives.
template <typename Function> class Replaced {
public:
  Replaced(const VulkanDevice &device, Function VulkanFunctions::*member, Function by)
      : function_(const_cast<VulkanFunctions &>(device.vk()).*member), before_(function_) {
    function_ = by;
  }
  ~Replaced() { function_ = before_; }
  Replaced(const Replaced &) = delete;
  Replaced &operator=(const Replaced &) = delete;

private:
  Function &function_;
  Function before_;
};

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i);
  return values;
}

/// Whether a program runs on the device as it should.
void checkWorks(VulkanDevice &device) {
  const auto plan = loadOn(device, scaleProgram(50), scalePlan(50));
  INFO(plan.status().message());
  REQUIRE(plan);
  BufferRef x = onDevice(device, ramp(50)), y;
  REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
  const std::vector<float> values = valuesOf(y);
  for (size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == 6 * float(i));
}

/// Closes the device; the validation layer then names whatever was not given back.
void checkNothingLeft(std::unique_ptr<VulkanDevice> device) {
  CHECK(device->memoryStats().liveBytes == 0);
  CHECK(device->memoryStats().liveBlocks == 0);
  device.reset();
  const burn::core::Status status = takeValidationErrors();
  INFO(status.message());
  CHECK(status);
}

VKAPI_ATTR VkResult VKAPI_CALL submitToLost(VkQueue, uint32_t, const VkSubmitInfo *, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}
// Waits all the same: the device is to be closed, and this one works on.
PFN_vkWaitForFences waitOfDriver;
VKAPI_ATTR VkResult VKAPI_CALL waitForLost(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all,
                                           uint64_t timeout) {
  const VkResult result = waitOfDriver(device, count, fences, all, timeout);
  return result == VK_SUCCESS ? VK_ERROR_DEVICE_LOST : result;
}
VKAPI_ATTR VkResult VKAPI_CALL allocateNothing(VkDevice, const VkMemoryAllocateInfo *, const VkAllocationCallbacks *,
                                               VkDeviceMemory *) {
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}
PFN_vkAllocateMemory allocateOfDriver;
VKAPI_ATTR VkResult VKAPI_CALL allocateLittle(VkDevice device, const VkMemoryAllocateInfo *info,
                                              const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
  return info->allocationSize > (1 << 20) ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                          : allocateOfDriver(device, info, callbacks, memory);
}
VKAPI_ATTR VkResult VKAPI_CALL compileNothing(VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo *,
                                              const VkAllocationCallbacks *, VkPipeline *) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}
VKAPI_ATTR VkResult VKAPI_CALL makeNoPool(VkDevice, const VkDescriptorPoolCreateInfo *, const VkAllocationCallbacks *,
                                          VkDescriptorPool *) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}
VKAPI_ATTR VkResult VKAPI_CALL mapNothing(VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                                          void **) {
  return VK_ERROR_MEMORY_MAP_FAILED;
}

// A driver that keeps something: its own header and a few bytes. lavapipe keeps nothing.
const VkPhysicalDeviceProperties *propertiesOfDriver;
PFN_vkCreatePipelineCache createCacheOfDriver;
size_t offered = 0; // bytes that the driver was given at last
int refusals = 0;
VKAPI_ATTR VkResult VKAPI_CALL keepSomething(VkDevice, VkPipelineCache, size_t *size, void *data) {
  VkPipelineCacheHeaderVersionOne header = {};
  header.headerSize = sizeof header;
  header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  header.vendorID = propertiesOfDriver->vendorID;
  header.deviceID = propertiesOfDriver->deviceID;
  std::copy_n(propertiesOfDriver->pipelineCacheUUID, VK_UUID_SIZE, header.pipelineCacheUUID);
  *size = sizeof header + 100;
  if (data) {
    std::memset(data, 7, *size);
    std::memcpy(data, &header, sizeof header);
  }
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL recordOffer(VkDevice device, const VkPipelineCacheCreateInfo *info,
                                           const VkAllocationCallbacks *callbacks, VkPipelineCache *cache) {
  offered = info->initialDataSize;
  VkPipelineCacheCreateInfo empty = *info;
  empty.initialDataSize = 0; // which this driver did not write
  empty.pInitialData = nullptr;
  return createCacheOfDriver(device, &empty, callbacks, cache);
}
VKAPI_ATTR VkResult VKAPI_CALL refuseOffer(VkDevice device, const VkPipelineCacheCreateInfo *info,
                                           const VkAllocationCallbacks *callbacks, VkPipelineCache *cache) {
  if (info->initialDataSize) {
    ++refusals;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
  return createCacheOfDriver(device, info, callbacks, cache);
}
VKAPI_ATTR VkResult VKAPI_CALL refuseCache(VkDevice, const VkPipelineCacheCreateInfo *, const VkAllocationCallbacks *,
                                           VkPipelineCache *) {
  ++refusals;
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

} // namespace

TEST_CASE("a lost device fails what was asked of it and all that comes later", "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  {
    const auto plan = loadOn(*device, scaleProgram(50), scalePlan(50, true));
    REQUIRE(plan);
    BufferRef x = onDevice(*device, ramp(50)), y;
    {
      const Replaced lost(*device, &VulkanFunctions::QueueSubmit, &submitToLost);
      const auto status = (*plan)->execute({&x, 1}, nullptr, {&y, 1});
      CHECK(status.code() == ErrorCode::Unavailable);
      CHECK_THAT(status.message(), Catch::Contains("the device was lost"));
    }
    CHECK_FALSE(x); // donated, and in an unknown state
    REQUIRE(y);
    REQUIRE(y->poisonError());
    CHECK_THAT(y->poisonError()->message(), Catch::Contains("the device was lost"));
    // It stays lost, whatever the driver says then.
    const auto fresh = Buffer::allocate(200, device.get());
    REQUIRE(fresh);
    CHECK(device->upload(ramp(50).data(), **fresh).code() == ErrorCode::Unavailable);
    BufferRef other = *fresh, result;
    CHECK((*plan)->execute({&other, 1}, nullptr, {&result, 1}).code() == ErrorCode::Unavailable);
    CHECK(device->synchronize().code() == ErrorCode::Unavailable);
  }
  checkNothingLeft(std::move(device));
  // Another device of the process is another matter.
  checkWorks(*openVulkan());
}

TEST_CASE("a device that is lost while it works fails the read", "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  {
    const auto plan = loadOn(*device, scaleProgram(50), scalePlan(50));
    REQUIRE(plan);
    BufferRef x = onDevice(*device, ramp(50)), y;
    REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
    waitOfDriver = device->vk().WaitForFences;
    const Replaced lost(*device, &VulkanFunctions::WaitForFences, &waitForLost);
    const auto contents = y->read();
    REQUIRE_FALSE(contents);
    CHECK(contents.status().code() == ErrorCode::Unavailable);
    CHECK_THAT(contents.status().message(), Catch::Contains("the device was lost"));
  }
  checkNothingLeft(std::move(device));
}

TEST_CASE("memory that the driver refuses is an error with sizes", "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  {
    const Replaced full(*device, &VulkanFunctions::AllocateMemory, &allocateNothing);
    const auto buffer = Buffer::allocate(4096, device.get());
    REQUIRE_FALSE(buffer);
    CHECK(buffer.status().code() == ErrorCode::OutOfMemory);
    CHECK_THAT(buffer.status().message(), Catch::Contains("vulkan:0") &&
                                              Catch::Contains("cannot allocate 4096 bytes (0 bytes in use") &&
                                              Catch::Contains("out of device memory"));
    CHECK(device->memoryStats().reservedBytes == 0);
  }
  checkWorks(*device);
  checkNothingLeft(std::move(device));
}

TEST_CASE("where the driver refuses a large block a small one serves", "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  {
    allocateOfDriver = device->vk().AllocateMemory;
    const Replaced nearlyFull(*device, &VulkanFunctions::AllocateMemory, &allocateLittle);
    CHECK(Buffer::allocate(4096, device.get()));
    CHECK(Buffer::allocate((2 << 20), device.get()).status().code() == ErrorCode::OutOfMemory);
  }
  checkWorks(*device);
  checkNothingLeft(std::move(device));
}

TEST_CASE("memory of the host for transfers that the driver refuses", "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  {
    const auto buffer = Buffer::allocate(200, device.get());
    REQUIRE(buffer);
    for (int i = 0; i < 8; ++i) { // for each slot of the queue, and again
      const Replaced unmapped(*device, &VulkanFunctions::MapMemory, &mapNothing);
      CHECK_FALSE(device->upload(ramp(50).data(), **buffer));
      CHECK_FALSE((*buffer)->read());
    }
    REQUIRE(device->upload(ramp(50).data(), **buffer));
    CHECK(valuesOf(*buffer) == ramp(50));
  }
  checkWorks(*device);
  checkNothingLeft(std::move(device));
}

TEST_CASE("a kernel that the driver cannot compile is named", "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  {
    const Replaced broken(*device, &VulkanFunctions::CreateComputePipelines, &compileNothing);
    const auto plan = loadOn(*device, scaleProgram(50), scalePlan(50));
    REQUIRE_FALSE(plan);
    CHECK(plan.status().message() == "the driver of vulkan:0 cannot compile kernel scale: mul: out of host memory");
  }
  checkWorks(*device);
  checkNothingLeft(std::move(device));
}

TEST_CASE("a run that the driver has no descriptors for fails as a whole", "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  {
    const auto plan = loadOn(*device, scaleProgram(50), scalePlan(50, true));
    REQUIRE(plan);
    BufferRef x = onDevice(*device, ramp(50)), y;
    {
      const Replaced broken(*device, &VulkanFunctions::CreateDescriptorPool, &makeNoPool);
      const auto status = (*plan)->execute({&x, 1}, nullptr, {&y, 1});
      CHECK_FALSE(status);
      CHECK_THAT(status.message(), Catch::Contains("descriptor pool") && Catch::Contains("out of host memory"));
    }
    REQUIRE(y);
    CHECK(y->poisonError());
  }
  checkWorks(*device);
  checkNothingLeft(std::move(device));
}

TEST_CASE("what the driver makes of shaders is kept for the next process, and its refusal costs time alone",
          "[vulkan]") {
  if (!hasVulkan())
    return;
  auto device = openVulkan();
  propertiesOfDriver = &device->properties();
  createCacheOfDriver = device->vk().CreatePipelineCache;
  const size_t kept = sizeof(VkPipelineCacheHeaderVersionOne) + 100;
  {
    const TemporaryFolder folder;
    DiskCacheOptions options;
    options.directory = folder / "cache";
    const std::vector<std::byte> key =
        makePlanKey(SourceKind::Graph, bytesOf("a program"), PlanOptions(), device->target());
    int compiles = 0;
    const auto runOnce = [&] {
      PlanCache cache(options); // of another process
      const auto plan = cache.get(
          key,
          [&]() -> burn::core::Expected<CompiledPlan> {
            ++compiles;
            return CompiledPlan{serialize(scaleProgram(10)), serialize(scalePlan(10))};
          },
          false, device.get());
      INFO(plan.status().message());
      REQUIRE(plan);
      BufferRef x = onDevice(*device, ramp(10)), y;
      REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
      CHECK(valuesOf(y)[9] == 54);
    };
    const Replaced keeps(*device, &VulkanFunctions::GetPipelineCacheData, &keepSomething);
    {
      const Replaced records(*device, &VulkanFunctions::CreatePipelineCache, &recordOffer);
      offered = 1;
      runOnce();
      CHECK(offered == 0);
      runOnce();
      CHECK(offered == kept);
    }
    {
      const Replaced refuses(*device, &VulkanFunctions::CreatePipelineCache, &refuseOffer);
      refusals = 0;
      runOnce();
      CHECK(refusals == 1);
    }
    {
      const Replaced refuses(*device, &VulkanFunctions::CreatePipelineCache, &refuseCache);
      refusals = 0;
      runOnce();
      CHECK(refusals == 2);
    }
    CHECK(compiles == 1);

    // Entries that are damaged are made anew, those of the driver never reach it.
    const Replaced records(*device, &VulkanFunctions::CreatePipelineCache, &recordOffer);
    for (const auto &file : std::filesystem::directory_iterator(options.directory)) {
      std::vector<std::byte> bytes = readFile(file.path());
      if (bytes.empty())
        continue;
      bytes[bytes.size() / 2] ^= std::byte(1);
      writeFile(file.path(), bytes);
    }
    offered = 1;
    runOnce();
    CHECK(offered == 0);
    CHECK(compiles == 2);
    runOnce();
    CHECK(offered == kept);
    // So are those that a full disk did not take.
    options.directory = folder / "full";
    options.fault = [](StoreStep step) { return step == StoreStep::Sync ? ENOSPC : 0; };
    for (int process = 0; process < 2; ++process) {
      offered = 1;
      runOnce();
      CHECK(offered == 0);
    }
    CHECK(compiles == 4);
  }
  checkNothingLeft(std::move(device));
}

#include "CacheFixture.h"
#include "VulkanFixture.h"

#include "runtime/Devices/Vulkan/VulkanProbe.h"

#include <numeric>

using namespace burn::runtime;
using namespace burn::runtime::test;
using burn::ErrorCode;

TEST_CASE("buffers of a Vulkan device keep their bytes", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  // Around the alignment, and across the parts of a transfer.
  for (const size_t bytes : {size_t(0), size_t(1), size_t(255), size_t(256), size_t(4099), size_t(9 << 20) + 5}) {
    std::vector<uint8_t> data(bytes);
    for (size_t i = 0; i < bytes; ++i)
      data[i] = static_cast<uint8_t>(i * 131 + i / 251);
    auto buffer = Buffer::allocate(bytes, device.get());
    REQUIRE(buffer);
    REQUIRE(device->upload(data.data(), **buffer));
    CHECK(valuesOf<uint8_t>(*buffer) == data);
    auto copy = (*buffer)->copyTo(device.get());
    REQUIRE(copy);
    CHECK(valuesOf<uint8_t>(*copy) == data);
    auto host = (*copy)->copyTo(nullptr);
    REQUIRE(host);
    CHECK((*host)->device() == nullptr);
    CHECK(valuesOf<uint8_t>(*host) == data);
  }
  CHECK(device->memoryStats().liveBytes == 0);
  CHECK(device->memoryStats().liveBlocks == 0);
}

TEST_CASE("ranges of one block do not overlap and are merged when they are free", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  std::vector<BufferRef> buffers;
  for (int i = 0; i < 40; ++i)
    buffers.push_back(onDevice(*device, std::vector<float>(100 + 7 * i, float(i))));
  for (size_t i = 0; i < buffers.size(); i += 3)
    buffers[i].reset();
  for (size_t i = 0; i < buffers.size(); i += 3)
    buffers[i] = onDevice(*device, std::vector<float>(50, -float(i)));
  for (size_t i = 0; i < buffers.size(); ++i)
    CHECK(valuesOf(buffers[i]) ==
          (i % 3 ? std::vector<float>(100 + 7 * i, float(i)) : std::vector<float>(50, -float(i))));
  const int64_t reserved = device->memoryStats().reservedBytes;
  buffers.clear();
  CHECK(device->memoryStats().liveBytes == 0);
  // All of the block in one piece again.
  auto whole = Buffer::allocate(static_cast<size_t>(reserved), device.get());
  REQUIRE(whole);
  CHECK(device->memoryStats().reservedBytes == reserved);
}

TEST_CASE("a Vulkan device without enough memory says how much there is, and goes on", "[vulkan]") {
  if (!hasVulkan())
    return;
  VulkanOptions options;
  options.memoryLimit = 1 << 20;
  const auto device = openVulkan(options);
  auto half = Buffer::allocate(1 << 19, device.get());
  REQUIRE(half);
  const auto tooMuch = Buffer::allocate((1 << 19) + 1, device.get());
  REQUIRE_FALSE(tooMuch);
  CHECK(tooMuch.status().code() == ErrorCode::OutOfMemory);
  CHECK(tooMuch.status().message() ==
        "out of memory on vulkan:0: cannot allocate 524289 bytes (524288 bytes in use, limit 1048576)");
  half->reset();
  CHECK(Buffer::allocate((1 << 19) + 1, device.get()));
  // What no driver grants.
  const auto device2 = openVulkan();
  const auto absurd = Buffer::allocate(size_t(1) << 50, device2.get());
  REQUIRE_FALSE(absurd);
  CHECK(absurd.status().code() == ErrorCode::OutOfMemory);
  CHECK(valuesOf(onDevice(*device2, {1, 2})) == std::vector<float>{1, 2});
}

TEST_CASE("the target of a Vulkan device says what it can do", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  CHECK(device->name() == "vulkan:0");
  const auto target = burn::core::GpuTarget::parse(device->target().features);
  REQUIRE(target);
  CHECK(*target == device->capabilities());
  // What the specification requires of each device.
  CHECK(target->maxInvocations >= 128);
  CHECK(target->workgroupMemoryBytes >= 16384);
  CHECK(target->maxBindingBytes >= (1u << 27));
  CHECK(target->maxGrid[0] >= 65535);
  CHECK_FALSE(device->target().driver.empty());
}

TEST_CASE("whether a device fuses a multiply-add is found by asking it", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  // Nothing of the question is left.
  CHECK(device->memoryStats().liveBytes == 0);
  CHECK(device->memoryStats().reservedBytes == 0);
  const auto fuses = findMultiplyAdd(*device);
  INFO(fuses.status().message());
  REQUIRE(fuses);
  constexpr uint32_t kinds = burn::core::kGpuFma32 | burn::core::kGpuNormalFma32;
  CHECK(*fuses == (device->capabilities().features & kinds));
  // A device that cannot be asked has none, and says so when it is used.
  VulkanOptions options;
  options.memoryLimit = 100;
  const auto tiny = openVulkan(options);
  CHECK((tiny->capabilities().features & kinds) == 0);
  CHECK(Buffer::allocate(200, tiny.get()).status().code() == ErrorCode::OutOfMemory);
  CHECK(Buffer::allocate(64, tiny.get()));
}

//===-- Machines without Vulkan, or with a broken one -------------------------------------------===//

// Run in a process of its own by the cases below: prints what openDevice says.
TEST_CASE("open a Vulkan device", "[.vulkan-open]") {
  const char *name = std::getenv("BURN_TEST_DEVICE");
  const auto device = openDevice(name ? name : "vulkan:0");
  std::printf("<%d %s>", static_cast<int>(device.status().code()), device.status().message().c_str());
}

namespace {

/// What openDevice says under an environment.
std::string openUnder(const std::string &environment) {
  const std::string command = "env -u VK_DRIVER_FILES " + environment + " " +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              " '[.vulkan-open]' 2>/dev/null";
  std::FILE *pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    text.push_back(static_cast<char>(c));
  CHECK(pclose(pipe) == 0);
  const size_t begin = text.find('<');
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + 1, text.rfind('>') - begin - 1);
}

bool isUnavailable(const std::string &text) { return text.rfind("7 ", 0) == 0; } // ErrorCode::Unavailable

} // namespace

TEST_CASE("without a loader of Vulkan the error names it", "[vulkan]") {
  const std::string text = openUnder("BURN_VULKAN_LOADER=/nowhere/libvulkan.so.1");
  CHECK(isUnavailable(text));
  CHECK_THAT(text, Catch::Contains("cannot open its loader") && Catch::Contains("/nowhere/libvulkan.so.1"));
  // A library that is no loader.
  CHECK_THAT(openUnder("BURN_VULKAN_LOADER=libz.so.1"), Catch::Contains("is no loader of Vulkan"));
}

TEST_CASE("without a driver of Vulkan the error says so", "[vulkan]") {
  if (!hasVulkan())
    return;
  const TemporaryFolder folder;
  writeFile(folder / "garbage.json", bytesOf("{\"file_format_version\": 17, ["));
  writeFile(
      folder / "absent.json",
      bytesOf(R"({"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere.so", "api_version": "1.1.0"}})"));
  for (const std::string &file : {std::string("/nowhere.json"), folder / "garbage.json", folder / "absent.json"}) {
    const std::string text = openUnder("BURN_VULKAN_VALIDATION=0 VK_ICD_FILENAMES=" + file);
    INFO(text);
    CHECK(isUnavailable(text));
    CHECK_THAT(text, Catch::Contains("no driver") && Catch::Contains(file));
  }
}

TEST_CASE("a device that the machine does not have", "[vulkan]") {
  if (!hasVulkan())
    return;
  const std::string text = openUnder("BURN_TEST_DEVICE=vulkan:99");
  CHECK(isUnavailable(text));
  CHECK_THAT(text, Catch::Contains("there is no device vulkan:99; there are vulkan:0 "));
  for (const char *name : {"vulkan:", "vulkan:-1", "vulkan:1x", "vulkan0", "cuda:0", ""}) {
    const auto device = openDevice(name);
    REQUIRE_FALSE(device);
    CHECK(device.status().code() == ErrorCode::InvalidArgument);
  }
}

TEST_CASE("a device is opened once", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openDevice("vulkan:0");
  REQUIRE(device);
  CHECK(*openDevice("vulkan") == *device);
}

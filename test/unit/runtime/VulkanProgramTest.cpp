#include "CacheFixture.h"
#include "VulkanFixture.h"

#include "runtime/Compiler/PlanKey.h"
#include "runtime/Memory/PendingRun.h"

#include <numeric>
#include <thread>

using namespace burn::runtime;
using namespace burn::runtime::test;
using namespace burn::core;
using burn::ErrorCode;

namespace {

std::vector<float> iota(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.f);
  return values;
}

std::vector<float> scaled(std::vector<float> values, float factor) {
  for (float &value : values)
    value *= factor;
  return values;
}

/// A program around the kernel `step`: its counter is the first argument, donated, the limit a scalar.
struct Steps {
  GpuPlan code;
  Plan plan;
  GpuRange counter{GpuMemory::Buffer, 0, 0, 4}, goesOn{GpuMemory::Arena, 0, 0, 4}, byte{GpuMemory::Arena, 0, 0, 1};
  GpuStep step;

  Steps() {
    code.modules = {{stepWords}};
    GpuKernel kernel;
    kernel.entry = "step";
    kernel.bindings = {kGpuRead | kGpuWrite, kGpuWrite, kGpuRead, kGpuRead | kGpuWrite};
    kernel.pushConstantBytes = 4;
    code.kernels = {kernel};
    code.bufferBytes = {4, 4};
    code.arenaBytes = 1024;
    code.scalarBytes = 16;
    step.ranges = {counter, goesOn, {GpuMemory::Scalars, 0, 0, 16}, {GpuMemory::Error, 0, 0, 4}};
    step.pushConstants = {100};
    const TypeDesc type{burn::DType::U32, {1}};
    plan.args.push_back({type, ArgKind::Buffer, true, 0, "counter"});
    for (uint32_t i = 0; i < 4; ++i)
      plan.args.push_back({{burn::DType::U32, {}}, ArgKind::Scalar, false, 4 * i, ""});
    plan.scalarBytes = 16;
    plan.results.push_back({type, ResultSource::Donated, 0});
    plan.kernels.push_back({"step", ClusterKind::Single, {"add"}, 0, 0});
    plan.checks.push_back({3, "the step is not positive"});
    plan.checks.push_back({8, "the counter is too large"});
  }

  /// The counter after a run.
  uint32_t run(Device &device, uint32_t counterBefore, std::vector<uint32_t> scalars) const {
    const auto loaded = loadOn(device, code, plan);
    INFO(loaded.status().message());
    REQUIRE(loaded);
    BufferRef argument = std::move(*Buffer::allocate(4, &device)), result;
    REQUIRE(device.upload(&counterBefore, *argument));
    scalars.resize(4);
    const auto status = (*loaded)->execute({&argument, 1}, scalars.data(), {&result, 1});
    INFO(status.message());
    REQUIRE(status);
    CHECK_FALSE(argument);
    return valuesOf<uint32_t>(result)[0];
  }
};

} // namespace

TEST_CASE("launches in order through the arena", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  for (const size_t count : {size_t(1), size_t(64), size_t(1000), size_t(100003)}) {
    const auto plan = loadOn(*device, scaleProgram(count), scalePlan(int64_t(count)));
    INFO(plan.status().message());
    REQUIRE(plan);
    BufferRef x = onDevice(*device, iota(count)), y;
    REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
    CHECK(valuesOf(y) == scaled(iota(count), 6));
    CHECK(valuesOf(x) == iota(count));
    // Many runs in flight, each on the result of the one before.
    BufferRef value = onDevice(*device, std::vector<float>(count, 1));
    for (int i = 0; i < 20; ++i) {
      BufferRef next;
      REQUIRE((*plan)->execute({&value, 1}, nullptr, {&next, 1}));
      value = std::move(next);
    }
    CHECK(valuesOf(value) == std::vector<float>(count, 3656158440062976.f)); // 6^20, exact in f32
  }
  CHECK(device->memoryStats().liveBytes == 0);
}

TEST_CASE("a donated argument is overwritten where it is the only one, else copied", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  const auto plan = loadOn(*device, scaleProgram(500), scalePlan(500, true));
  REQUIRE(plan);
  BufferRef x = onDevice(*device, iota(500)), y;
  CHECK(valuesOf(x)[7] == 7); // a copy on the host, which the run makes stale
  const uint64_t place = x->memory().offset;
  REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK_FALSE(x);
  CHECK(y->memory().offset == place);
  CHECK(valuesOf(y) == scaled(iota(500), 6));

  BufferRef held = y, given = y, z;
  REQUIRE((*plan)->execute({&given, 1}, nullptr, {&z, 1}));
  CHECK(valuesOf(held) == scaled(iota(500), 6));
  CHECK(valuesOf(z) == scaled(iota(500), 36));
}

TEST_CASE("buffers of another device are refused", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  const auto plan = loadOn(*device, scaleProgram(8), scalePlan(8));
  REQUIRE(plan);
  BufferRef x = std::move(*Buffer::allocate(32)), y;
  const auto status = (*plan)->execute({&x, 1}, nullptr, {&y, 1});
  CHECK(status.code() == ErrorCode::InvalidArgument);
  CHECK_THAT(status.message(), Catch::Contains("not in the memory of vulkan:0"));
}

TEST_CASE("copies and constants", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  GpuPlan code = scaleProgram(64);
  std::vector<std::byte> constant(256);
  const std::vector<float> values = iota(64);
  std::memcpy(constant.data(), values.data(), 256);
  code.constants = {std::vector<std::byte>(5), constant};
  GpuStep copy;
  copy.kind = GpuStepKind::Copy;
  // The second half of the result is x * 6 still, the first half the second half of the constant.
  copy.ranges = {{GpuMemory::Constant, 1, 128, 128}, {GpuMemory::Buffer, 1, 0, 128}};
  code.steps.push_back(copy);
  const auto plan = loadOn(*device, code, scalePlan(64));
  INFO(plan.status().message());
  REQUIRE(plan);
  BufferRef x = onDevice(*device, iota(64)), y;
  REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
  const std::vector<float> result = valuesOf(y);
  for (int i = 0; i < 64; ++i)
    CHECK(result[i] == (i < 32 ? float(i + 32) : float(6 * i)));
}

TEST_CASE("loops and branches read their predicates from the device", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  {
    Steps loop; // while counter < limit: step, the predicate being that of the step before
    GpuStep step;
    step.kind = GpuStepKind::While;
    step.ranges = {loop.byte};
    step.second = {loop.step};
    loop.code.steps = {step};
    CHECK(loop.run(*device, 0, {17}) == 17);
    CHECK(loop.run(*device, 20, {17}) == 21); // the part before the predicate runs once
  }
  {
    Steps branch;
    GpuStep step;
    step.kind = GpuStepKind::If;
    step.ranges = {branch.byte};
    step.first = {branch.step, branch.step};
    step.second = {branch.step};
    branch.code.steps = {branch.step, step};
    CHECK(branch.run(*device, 0, {10}) == 3);
    CHECK(branch.run(*device, 50, {10}) == 52);
  }
  {
    Steps loop; // for i = scalar 1 to scalar 2 by scalar 3
    GpuStep step;
    step.kind = GpuStepKind::For;
    for (uint32_t i = 1; i < 4; ++i)
      step.ranges.push_back({GpuMemory::Scalars, 0, 4 * i, 4});
    step.ranges.push_back({GpuMemory::Arena, 0, 256, 4});
    step.first = {loop.step};
    loop.code.steps = {step};
    const auto minus = [](uint32_t value) { return 0u - value; };
    CHECK(loop.run(*device, 0, {99, 0, 10, 3}) == 4); // 0 3 6 9
    CHECK(loop.run(*device, 0, {99, minus(4), 4, 2}) == 4);
    CHECK(loop.run(*device, 0, {99, 5, 5, 1}) == 0);
    CHECK(loop.run(*device, 0, {99, 2147483640, 2147483647, 5}) == 2); // no overflow at the end

    // The index reaches the device: the counter becomes the last one.
    GpuStep copy;
    copy.kind = GpuStepKind::Copy;
    copy.ranges = {step.ranges[3], loop.counter};
    loop.code.steps[0].first = {copy};
    CHECK(loop.run(*device, 1, {99, 3, 1000, 90}) == 993);

    // A step that is not positive fails check 0.
    const auto loaded = loadOn(*device, loop.code, loop.plan);
    REQUIRE(loaded);
    const uint32_t scalars[] = {99, 0, 10, 0};
    BufferRef argument = std::move(*Buffer::allocate(4, device.get())), result;
    REQUIRE(device->upload(scalars, *argument));
    const auto status = (*loaded)->execute({&argument, 1}, scalars, {&result, 1});
    CHECK(status.code() == ErrorCode::OutOfRange);
    CHECK(status.message() == "the step is not positive");
    CHECK(status.locations() == std::vector<uint32_t>{3});
  }
}

TEST_CASE("a failed check poisons the results and leaves the device usable", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  Steps steps;
  steps.code.steps = {steps.step, steps.step, steps.step};
  steps.code.steps[1].pushConstants = {5};
  CHECK(steps.run(*device, 0, {10}) == 3);
  const auto loaded = loadOn(*device, steps.code, steps.plan);
  REQUIRE(loaded);
  const uint32_t scalars[4] = {10}, large = 20;
  BufferRef argument = std::move(*Buffer::allocate(4, device.get())), result;
  REQUIRE(device->upload(&large, *argument));
  // The call does not wait to know of it; what reads the result, or is run on it, does.
  REQUIRE((*loaded)->execute({&argument, 1}, scalars, {&result, 1}));
  REQUIRE(result->run());
  CHECK_FALSE(result->run()->isKnown());
  CHECK_FALSE(result->poisonError());
  BufferRef given = result, after;
  REQUIRE((*loaded)->execute({&given, 1}, scalars, {&after, 1}));
  const auto held = result->run();
  CHECK_FALSE(after->read());
  const auto status = after->settle();
  CHECK(status.code() == ErrorCode::OutOfRange);
  CHECK(status.message() == "the counter is too large");
  CHECK(status.locations() == std::vector<uint32_t>{8});
  REQUIRE(after->poisonError());
  CHECK(after->poisonError()->message() == status.message());
  // Known by now, so the next run is refused before it starts.
  CHECK(held->isKnown());
  given = result;
  CHECK((*loaded)->execute({&given, 1}, scalars, {&after, 1}).message() == status.message());
  CHECK(given);
  CHECK(result->read().status().message() == status.message());
  // An endless loop ends where a check fails in it.
  GpuStep endless;
  endless.kind = GpuStepKind::While;
  endless.ranges = {steps.byte};
  endless.first = {};
  endless.second = {steps.step};
  steps.code.steps = {endless};
  const auto loop = loadOn(*device, steps.code, steps.plan);
  REQUIRE(loop);
  const uint32_t never[4] = {~0u};
  argument = std::move(*Buffer::allocate(4, device.get()));
  REQUIRE(device->upload(&large, *argument));
  CHECK((*loop)->execute({&argument, 1}, never, {&result, 1}).message() == "the counter is too large");
  CHECK(steps.run(*device, 0, {1}) == 1);
}

TEST_CASE("what a device cannot run is an error with both numbers", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  const GpuTarget &has = device->capabilities();
  const auto messageOf = [&](const GpuPlan &code) {
    const auto loaded = loadOn(*device, code, scalePlan(64));
    REQUIRE_FALSE(loaded);
    CHECK(loaded.status().code() == ErrorCode::Unsupported);
    return loaded.status().message();
  };
  GpuPlan code = scaleProgram(64);
  code.steps[0].grid[1] = has.maxGrid[1] + 1;
  CHECK_THAT(messageOf(code), Catch::Contains("workgroups along y of " + std::to_string(has.maxGrid[1] + 1)) &&
                                  Catch::Contains("allows " + std::to_string(has.maxGrid[1])));
  code = scaleProgram(64);
  code.kernels[0].workgroup = {1, 1, has.maxWorkgroup[2] + 1};
  CHECK_THAT(messageOf(code), Catch::Contains("allows"));
  code = scaleProgram(64);
  code.kernels[0].workgroupMemoryBytes = has.workgroupMemoryBytes + 4;
  CHECK_THAT(messageOf(code),
             Catch::Contains("workgroup memory in bytes of " + std::to_string(has.workgroupMemoryBytes + 4)));
  code = scaleProgram(64);
  code.arenaBytes = (has.maxBindingBytes + 512) / 256 * 256;
  code.steps[0].ranges[1].bytes = has.maxBindingBytes + 4;
  CHECK_THAT(messageOf(code), Catch::Contains("buffer size in bytes of " + std::to_string(has.maxBindingBytes + 4)));
  for (uint32_t bit = 1; bit <= kGpuAllFeatures; bit <<= 1) {
    if (has.features & bit)
      continue;
    code = scaleProgram(64);
    code.features = bit;
    CHECK_THAT(messageOf(code), Catch::Contains(gpuFeatureName(GpuFeature(bit))));
  }
  // Code that belongs to another plan.
  CHECK(loadOn(*device, scaleProgram(64), scalePlan(63)).status().code() == ErrorCode::DataLoss);
}

TEST_CASE("out of memory in a run leaves its arguments as they were", "[vulkan]") {
  if (!hasVulkan())
    return;
  VulkanOptions options;
  options.memoryLimit = 100000;
  const auto device = openVulkan(options);
  const auto plan = loadOn(*device, scaleProgram(10000), scalePlan(10000, true));
  REQUIRE(plan);
  BufferRef x = onDevice(*device, iota(10000)), other = onDevice(*device, iota(6000)), y;
  const auto status = (*plan)->execute({&x, 1}, nullptr, {&y, 1});
  CHECK(status.code() == ErrorCode::OutOfMemory);
  CHECK_THAT(status.message(), Catch::Contains("vulkan:0") && Catch::Contains("limit 100000"));
  REQUIRE(x);
  CHECK(valuesOf(x) == iota(10000));
  other.reset();
  REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
  CHECK(valuesOf(y) == scaled(iota(10000), 6));
}

TEST_CASE("threads share a device", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  const auto plan = loadOn(*device, scaleProgram(1000), scalePlan(1000));
  REQUIRE(plan);
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::vector<float> expected(1000, float(6 * (t + 1)));
      const std::vector<float> values(1000, float(t + 1));
      for (int i = 0; i < 25; ++i) {
        auto x = Buffer::allocate(4000, device.get());
        BufferRef y;
        const bool ran = x && device->upload(values.data(), **x) && (*plan)->execute({&*x, 1}, nullptr, {&y, 1});
        const auto read = ran ? y->read() : Expected<const void *>(Status::invalid("not run"));
        wrong[t] += !read || std::memcmp(*read, expected.data(), 4000) != 0;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("what another driver cached is ignored", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  VkPipelineCacheHeaderVersionOne header = {};
  header.headerSize = sizeof header;
  header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  header.vendorID = device->properties().vendorID + 1;
  header.deviceID = device->properties().deviceID;
  std::vector<std::byte> foreign(4096, std::byte(0xab));
  std::memcpy(foreign.data(), &header, sizeof header);
  for (const std::vector<std::byte> &cache : {foreign, std::vector<std::byte>(7)}) {
    const auto plan = LoadedPlan::load(*device, serialize(scaleProgram(10)), serialize(scalePlan(10)), cache);
    REQUIRE(plan);
    BufferRef x = onDevice(*device, iota(10)), y;
    REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
    CHECK(valuesOf(y) == scaled(iota(10), 6));
  }
}

TEST_CASE("plans for a device come from the kernel cache", "[vulkan]") {
  if (!hasVulkan())
    return;
  const auto device = openVulkan();
  const TemporaryFolder folder;
  DiskCacheOptions options;
  options.directory = folder / "cache";
  const std::vector<std::byte> key =
      makePlanKey(SourceKind::Graph, bytesOf("a program"), PlanOptions(), device->target());
  int compiles = 0;
  for (int process = 0; process < 3; ++process) {
    PlanCache cache(options);
    for (int again = 0; again < 2; ++again) {
      const auto plan = cache.get(
          key,
          [&]() -> Expected<CompiledPlan> {
            ++compiles;
            return CompiledPlan{serialize(scaleProgram(10)), serialize(scalePlan(10))};
          },
          false, device.get());
      INFO(plan.status().message());
      REQUIRE(plan);
      BufferRef x = onDevice(*device, iota(10)), y;
      REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
      CHECK(valuesOf(y) == scaled(iota(10), 6));
    }
    CHECK(cache.stats().plansLoaded == (process > 0));
  }
  CHECK(compiles == 1);
  // The driver is part of the key.
  PlanTarget other = device->target();
  other.driver += "1";
  CHECK(makePlanKey(SourceKind::Graph, bytesOf("a program"), PlanOptions(), other) != key);
}

TEST_CASE("kernels are timed where that is asked for", "[vulkan]") {
  if (!hasVulkan())
    return;
  VulkanOptions options;
  options.profile = true;
  const auto device = openVulkan(options);
  const auto plan = loadOn(*device, scaleProgram(100000), scalePlan(100000));
  REQUIRE(plan);
  for (int i = 0; i < 3; ++i) {
    BufferRef x = onDevice(*device, iota(100000)), y;
    REQUIRE((*plan)->execute({&x, 1}, nullptr, {&y, 1}));
    CHECK(valuesOf(y) == scaled(iota(100000), 6));
  }
  REQUIRE(device->times().size() == 1);
  CHECK(device->times()[0].name == "scale: mul");
  CHECK(device->times()[0].launches == 6);
  CHECK(device->times()[0].nanoseconds > 0);
  device->reportTimes();
  CHECK(device->times().empty());
}

TEST_CASE("two devices alike have a plan each, and share what is on disk", "[vulkan]") {
  if (!hasVulkan())
    return;
  const std::unique_ptr<VulkanDevice> devices[] = {openVulkan(), openVulkan()};
  const TemporaryFolder folder;
  DiskCacheOptions options;
  options.directory = folder / "cache";
  PlanCache cache(options);
  int compiles = 0;
  for (int round = 0; round < 2; ++round)
    for (const auto &device : devices) {
      const auto plan = cache.get(
          makePlanKey(SourceKind::Graph, bytesOf("a program"), PlanOptions(), device->target()),
          [&]() -> burn::core::Expected<CompiledPlan> {
            ++compiles;
            return CompiledPlan{serialize(scaleProgram(10)), serialize(scalePlan(10))};
          },
          false, device.get());
      INFO(plan.status().message());
      REQUIRE(plan);
      BufferRef x = onDevice(*device, std::vector<float>(10, 7)), y;
      const burn::core::Status status = (*plan)->execute({&x, 1}, nullptr, {&y, 1});
      INFO(status.message());
      REQUIRE(status);
      CHECK(valuesOf(y)[9] == 42);
    }
  CHECK(compiles == 1);
  CHECK(cache.stats().plansLoaded == 1);
  CHECK(cache.stats().memoryHits == 2);
}

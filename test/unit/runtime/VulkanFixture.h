// A Vulkan device for tests, with the validation layer: what that says makes a call fail.
#pragma once

#include "VulkanKernels.h"

#include "runtime/Core/GpuPlan.h"
#include "runtime/Devices/Vulkan/VulkanDevice.h"
#include "runtime/Executable/LoadedPlan.h"
#include "test/unit/device/VulkanTest.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace burn::runtime::test {

using burn::test::hasVulkan;

inline std::unique_ptr<VulkanDevice> openVulkan(const VulkanOptions &options = {}) {
  auto device = VulkanDevice::open(0, options);
  INFO(device.status().message());
  REQUIRE(device);
  return std::move(*device);
}

inline BufferRef onDevice(Device &device, const std::vector<float> &values) {
  auto buffer = Buffer::allocate(values.size() * sizeof(float), &device);
  REQUIRE(buffer);
  REQUIRE(device.upload(values.data(), **buffer));
  return std::move(*buffer);
}

template <typename T = float> std::vector<T> valuesOf(const BufferRef &buffer) {
  const auto contents = buffer->read();
  INFO(contents.status().message());
  REQUIRE(contents);
  std::vector<T> values(buffer->bytes() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), *contents, buffer->bytes());
  return values;
}

inline core::GpuKernel scaleKernel() {
  core::GpuKernel kernel;
  kernel.entry = "scale";
  kernel.workgroup = {64, 1, 1};
  kernel.bindings = {core::kGpuRead, core::kGpuWrite};
  kernel.pushConstantBytes = 8;
  return kernel;
}

inline core::GpuStep scaleStep(const core::GpuRange &from, const core::GpuRange &to, float factor) {
  core::GpuStep step;
  const auto count = static_cast<uint32_t>(from.bytes / 4);
  uint32_t bits = 0;
  std::memcpy(&bits, &factor, sizeof bits);
  step.grid = {(count + 63) / 64, 1, 1};
  step.pushConstants = {count, bits};
  step.ranges = {from, to};
  return step;
}

/// y = 2 * (3 * x) over `count` floats, with the product of the inner one in the arena.
inline core::GpuPlan scaleProgram(uint64_t count) {
  core::GpuPlan plan;
  plan.modules = {{scaleWords}};
  plan.kernels = {scaleKernel()};
  plan.bufferBytes = {4 * count, 4 * count};
  plan.arenaBytes = (4 * count + 255) / 256 * 256;
  const core::GpuRange x{core::GpuMemory::Buffer, 0, 0, 4 * count}, y{core::GpuMemory::Buffer, 1, 0, 4 * count},
      arena{core::GpuMemory::Arena, 0, 0, 4 * count};
  plan.steps = {scaleStep(x, arena, 3), scaleStep(arena, y, 2)};
  return plan;
}

/// The plan beside it.
inline core::Plan scalePlan(int64_t count, bool donated = false) {
  const core::TypeDesc type{DType::F32, {count}};
  core::Plan plan;
  plan.args.push_back({type, core::ArgKind::Buffer, donated, 0, "x"});
  plan.results.push_back({type, donated ? core::ResultSource::Donated : core::ResultSource::Fresh, 0});
  plan.kernels.push_back({"scale", core::ClusterKind::Single, {"mul"}, 0, 0});
  return plan;
}

inline core::Expected<std::shared_ptr<const LoadedPlan>> loadOn(Device &device, const core::GpuPlan &code,
                                                                const core::Plan &plan) {
  return LoadedPlan::load(device, core::serialize(code), core::serialize(plan), {});
}

} // namespace burn::runtime::test

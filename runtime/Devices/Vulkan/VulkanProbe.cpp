#include "runtime/Devices/Vulkan/VulkanProbe.h"

#include "runtime/Core/GpuPlan.h"
#include "runtime/Memory/Buffer.h"

#include <array>
#include <cmath>
#include <cstring>

namespace burn::runtime {

using core::Expected;
using core::Status;

namespace {

// What spirv-as makes of VulkanProbe.spvasm (--target-env vulkan1.1).
constexpr uint32_t kWords[] = {
    0x7230203,  0x10300,    0x70000,    0x22,       0x0,        0x20011,    0x1,        0xb000a, 0x5f565053, 0x5f52484b,
    0x726f7473, 0x5f656761, 0x66667562, 0x735f7265, 0x61726f74, 0x635f6567, 0x7373616c, 0x0,     0x6000b,    0x1,
    0x4c534c47, 0x6474732e, 0x3035342e, 0x0,        0x3000e,    0x0,        0x1,        0x6000f, 0x5,        0x2,
    0x626f7270, 0x65,       0x3,        0x60010,    0x2,        0x11,       0x40,       0x1,     0x1,        0x40047,
    0x3,        0xb,        0x1b,       0x40047,    0x4,        0x6,        0x4,        0x50048, 0x5,        0x0,
    0x23,       0x0,        0x30047,    0x5,        0x2,        0x40047,    0x6,        0x22,    0x0,        0x40047,
    0x6,        0x21,       0x0,        0x30047,    0x6,        0x18,       0x40047,    0x7,     0x22,       0x0,
    0x40047,    0x7,        0x21,       0x1,        0x20013,    0x8,        0x30021,    0x9,     0x8,        0x40015,
    0xa,        0x20,       0x0,        0x30016,    0xb,        0x20,       0x40017,    0xc,     0xa,        0x3,
    0x4002b,    0xa,        0xd,        0x0,        0x4002b,    0xa,        0xe,        0x1,     0x4002b,    0xa,
    0xf,        0x2,        0x4002b,    0xa,        0x10,       0x3,        0x3001d,    0x4,     0xb,        0x3001e,
    0x5,        0x4,        0x40020,    0x11,       0xc,        0x5,        0x40020,    0x12,    0xc,        0xb,
    0x40020,    0x13,       0x1,        0xc,        0x4003b,    0x13,       0x3,        0x1,     0x4003b,    0x11,
    0x6,        0xc,        0x4003b,    0x11,       0x7,        0xc,        0x50036,    0x8,     0x2,        0x0,
    0x9,        0x200f8,    0x14,       0x4003d,    0xc,        0x15,       0x3,        0x50051, 0xa,        0x16,
    0x15,       0x0,        0x50084,    0xa,        0x17,       0x16,       0x10,       0x50080, 0xa,        0x18,
    0x17,       0xe,        0x50080,    0xa,        0x19,       0x17,       0xf,        0x60041, 0x12,       0x1a,
    0x6,        0xd,        0x17,       0x4003d,    0xb,        0x1b,       0x1a,       0x60041, 0x12,       0x1c,
    0x6,        0xd,        0x18,       0x4003d,    0xb,        0x1d,       0x1c,       0x60041, 0x12,       0x1e,
    0x6,        0xd,        0x19,       0x4003d,    0xb,        0x1f,       0x1e,       0x8000c, 0xb,        0x20,
    0x1,        0x32,       0x1b,       0x1d,       0x1f,       0x60041,    0x12,       0x21,    0x7,        0xd,
    0x16,       0x3003e,    0x21,       0x20,       0x100fd,    0x10038};

constexpr size_t kCases = 64;
constexpr size_t kNormalCases = 48;

/// Factors and summands whose rounded product and sum are not the rounded sum of the product. The last have subnormal
/// numbers among them or for their results.
std::array<float, 3 * kCases> makeCases() {
  std::array<float, 3 * kCases> cases;
  // 97 * 172961 = 2^24 + 1 lies between two numbers of f32: what is added, though f64 drops it, says which is nearer.
  // And a product beyond the range, of which most is taken away.
  const float chosen[][3] = {{172961, 97, 0x1p-30f},  {172961, 97, -0x1p-30f},       {172961, 97, 0x1p-60f},
                             {-172961, 97, 0x1p-60f}, {0x1p64f, 0x1p64f, -0x1p127f}, {-0x1p90f, 0x1p38f, 0x1p127f}};
  // Those that are subnormal: a factor, a summand, the result of a product, of a sum, of what a product lost.
  const float subnormal[][3] = {{0x1p-130f, 0x1p20f, 0x1p-140f},
                                {0x1.8p-63f, 0x1p-63f, 0x1p-149f},
                                {0x1.000002p-70f, 0x1.8p-60f, 0},
                                {0x1.8p-60f, 0x1p-66f, -0x1p-126f},
                                {0x1.000002p-60f, 0x1.000002p-60f, -0x1.000004p-120f}};
  uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525 + 1013904223;
    return 1 + static_cast<float>(state >> 9) * 0x1p-23f;
  };
  for (size_t i = 0; i < kCases; ++i) {
    float *entry = &cases[3 * i];
    if (i < std::size(chosen)) {
      std::memcpy(entry, chosen[i], sizeof chosen[i]);
      continue;
    }
    if (i >= kNormalCases && i < kNormalCases + std::size(subnormal)) {
      std::memcpy(entry, subnormal[i - kNormalCases], sizeof subnormal[0]);
      continue;
    }
    const float scale = i < kNormalCases ? 1 : 0x1p-60f;
    entry[0] = scale * next();
    entry[1] = -scale * next();
    entry[2] = -(entry[0] * entry[1]); // leaves what the product lost
  }
  return cases;
}

core::GpuPlan makeProbe() {
  core::GpuPlan code;
  code.modules = {{std::vector<uint32_t>(std::begin(kWords), std::end(kWords))}};
  core::GpuKernel kernel;
  kernel.entry = "probe";
  kernel.workgroup = {kCases, 1, 1};
  kernel.bindings = {core::kGpuRead, core::kGpuWrite};
  code.kernels = {kernel};
  code.bufferBytes = {3 * kCases * sizeof(float), kCases * sizeof(float)};
  core::GpuStep step;
  step.grid = {1, 1, 1};
  step.ranges = {{core::GpuMemory::Buffer, 0, 0, code.bufferBytes[0]},
                 {core::GpuMemory::Buffer, 1, 0, code.bufferBytes[1]}};
  code.steps = {step};
  return code;
}

} // namespace

Expected<uint32_t> findMultiplyAdd(VulkanDevice &device) {
  const std::array<float, 3 * kCases> cases = makeCases();
  core::Plan plan;
  plan.args.push_back({{DType::F32, {3 * kCases}}, core::ArgKind::Buffer, false, 0, "cases"});
  plan.results.push_back({{DType::F32, {kCases}}, core::ResultSource::Fresh, 0});
  Expected<std::unique_ptr<DeviceCode>> code = device.load(core::serialize(makeProbe()), plan, {});
  if (!code)
    return code.status();
  Expected<BufferRef> x = Buffer::allocate(sizeof cases, &device),
                      y = Buffer::allocate(kCases * sizeof(float), &device);
  for (const auto *buffer : {&x, &y})
    if (!*buffer)
      return buffer->status();
  Status status = device.upload(cases.data(), **x);
  Buffer *const buffers[] = {&**x, &**y};
  if (status)
    if (Expected<RunResult> run = (*code)->run(buffers, nullptr); !run)
      status = run.status();
  std::array<float, kCases> results;
  if (status)
    status = device.download(**y, results.data());
  if (!status)
    return status;
  size_t right = 0;
  while (right < kCases && results[right] == std::fma(cases[3 * right], cases[3 * right + 1], cases[3 * right + 2]))
    ++right;
  return right == kCases ? core::kGpuFma32 : right >= kNormalCases ? core::kGpuNormalFma32 : 0;
}

} // namespace burn::runtime

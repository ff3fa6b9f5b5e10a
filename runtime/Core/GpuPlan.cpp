#include "runtime/Core/GpuPlan.h"

#include "runtime/Core/Bytes.h"

#include <algorithm>

namespace burn::core {
namespace {

constexpr uint64_t kMagic = 0x4e4c505550475542; // "BUGPUPLN"
constexpr uint32_t kSpirvMagic = 0x07230203;
// Control flow of a program nests about as deep as its source; the reader recurses.
constexpr unsigned kMaxDepth = 64;
// No device runs workgroups as large.
constexpr uint64_t kMaxInvocations = 1 << 16;

//===-- Writing -------------------------------------------------------------------------------===//

template <typename T> void putAll(ByteWriter &out, const std::vector<T> &items) {
  out.put(static_cast<uint32_t>(items.size()));
  for (const T &item : items)
    out.put(item);
}

void putRanges(ByteWriter &out, const std::vector<GpuRange> &ranges) {
  out.put(static_cast<uint32_t>(ranges.size()));
  for (const GpuRange &range : ranges) {
    out.put(static_cast<uint8_t>(range.memory));
    out.put(range.index);
    out.put(range.offset);
    out.put(range.bytes);
  }
}

void putSteps(ByteWriter &out, const std::vector<GpuStep> &steps) {
  out.put(static_cast<uint32_t>(steps.size()));
  for (const GpuStep &step : steps) {
    out.put(static_cast<uint8_t>(step.kind));
    out.put(step.kernel);
    out.put(step.grid);
    putAll(out, step.pushConstants);
    putRanges(out, step.ranges);
    out.put(step.indexBytes);
    out.put(step.check);
    putSteps(out, step.first);
    putSteps(out, step.second);
  }
}

//===-- Reading -------------------------------------------------------------------------------===//

// Checks against the tables of the plan, which come before the steps.
class Reader {
public:
  Reader(ByteReader &in, GpuPlan &plan) : in_(in), plan_(plan) {}

  std::vector<GpuStep> steps(unsigned depth = 0) {
    std::vector<GpuStep> list;
    const uint32_t count = in_.count(kMinStepBytes);
    if (depth > kMaxDepth)
      in_.fail();
    for (uint32_t i = 0; i < count && in_.ok(); ++i)
      list.push_back(step(depth));
    return list;
  }

private:
  static constexpr size_t kMinStepBytes = 1 + 4 + 12 + 4 + 4 + 1 + 4 + 4 + 4;

  GpuStep step(unsigned depth) {
    GpuStep step;
    const uint8_t kind = in_.get<uint8_t>();
    require(kind <= static_cast<uint8_t>(GpuStepKind::Print));
    step.kind = static_cast<GpuStepKind>(kind);
    step.kernel = in_.get<uint32_t>();
    step.grid = in_.get<std::array<uint32_t, 3>>();
    step.pushConstants.resize(in_.count(4));
    for (uint32_t &word : step.pushConstants)
      word = in_.get<uint32_t>();
    step.ranges.resize(in_.count(21));
    for (GpuRange &one : step.ranges)
      one = range();
    step.indexBytes = in_.get<uint8_t>();
    step.check = in_.get<uint32_t>();
    step.first = steps(depth + 1);
    step.second = steps(depth + 1);
    if (in_.ok())
      check(step);
    return step;
  }

  GpuRange range() {
    GpuRange range;
    const uint8_t memory = in_.get<uint8_t>();
    require(memory <= static_cast<uint8_t>(GpuMemory::Error));
    range.memory = static_cast<GpuMemory>(memory);
    range.index = in_.get<uint32_t>();
    range.offset = in_.get<uint64_t>();
    range.bytes = in_.get<uint64_t>();
    if (!in_.ok())
      return range;
    uint64_t size = 0;
    switch (range.memory) {
    case GpuMemory::Buffer:
      require(range.index < plan_.bufferBytes.size());
      size = in_.ok() ? plan_.bufferBytes[range.index] : 0;
      break;
    case GpuMemory::Constant:
      require(range.index < plan_.constants.size());
      size = in_.ok() ? plan_.constants[range.index].size() : 0;
      break;
    case GpuMemory::Arena:
      size = plan_.arenaBytes;
      break;
    case GpuMemory::Scalars:
      size = (uint64_t(plan_.scalarBytes) + 3) / 4 * 4;
      break;
    case GpuMemory::Error:
      size = 4;
      break;
    }
    require(range.offset <= size && range.bytes <= size - range.offset);
    return range;
  }

  void check(const GpuStep &step) {
    const auto sizeIs = [&](size_t i, uint64_t bytes) { require(step.ranges[i].bytes == bytes); };
    switch (step.kind) {
    case GpuStepKind::Launch: {
      require(step.kernel < plan_.kernels.size() && step.first.empty() && step.second.empty());
      if (!in_.ok())
        return;
      const GpuKernel &kernel = plan_.kernels[step.kernel];
      require(step.ranges.size() == kernel.bindings.size());
      require(step.pushConstants.size() * 4 == kernel.pushConstantBytes);
      for (uint32_t groups : step.grid)
        require(groups > 0);
      for (const GpuRange &one : step.ranges)
        require(one.offset % kGpuBindingAlignment == 0);
      return;
    }
    case GpuStepKind::Copy:
      require(step.ranges.size() == 2 && step.first.empty() && step.second.empty());
      if (!in_.ok())
        return;
      sizeIs(1, step.ranges[0].bytes);
      requireWritable(step.ranges[1]);
      requireApart(step.ranges[0], step.ranges[1]);
      return;
    case GpuStepKind::If:
    case GpuStepKind::While:
      require(step.ranges.size() == 1);
      if (in_.ok())
        sizeIs(0, 1);
      return;
    case GpuStepKind::For:
      require(step.ranges.size() == 4 && step.second.empty());
      require(step.indexBytes == 1 || step.indexBytes == 2 || step.indexBytes == 4 || step.indexBytes == 8);
      if (!in_.ok())
        return;
      for (size_t i = 0; i < 4; ++i)
        sizeIs(i, step.indexBytes);
      requireWritable(step.ranges[3]);
      return;
    case GpuStepKind::Print:
      require(step.ranges.size() == 1 && step.first.empty() && step.second.empty());
      return;
    }
  }

  void requireWritable(const GpuRange &range) {
    require(range.memory == GpuMemory::Buffer || range.memory == GpuMemory::Arena);
  }

  void requireApart(const GpuRange &a, const GpuRange &b) {
    const bool sameMemory = a.memory == b.memory && a.index == b.index;
    require(!sameMemory || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
  }

  void require(bool holds) {
    if (!holds)
      in_.fail();
  }

  ByteReader &in_;
  GpuPlan &plan_;
};

template <typename Function> uint32_t greatest(const std::vector<GpuKernel> &kernels, Function &&of) {
  uint32_t most = 0;
  for (const GpuKernel &kernel : kernels)
    most = std::max<uint32_t>(most, of(kernel));
  return most;
}

// Of the ranges that kernels find by address, or that are bound.
uint64_t mostBytes(const GpuPlan &plan, bool addressed) {
  uint64_t most = 0;
  forEachStep(plan.steps, [&](const GpuStep &step) {
    if (step.kind == GpuStepKind::Launch &&
        addressed == (plan.kernels[step.kernel].arguments != GpuArguments::Bindings))
      for (const GpuRange &range : step.ranges)
        most = std::max(most, range.bytes);
  });
  return most;
}

} // namespace

const char *gpuFeatureName(GpuFeature feature) {
  switch (feature) {
  case kGpuFloat64:
    return "float64";
  case kGpuFloat16:
    return "float16";
  case kGpuInt64:
    return "int64";
  case kGpuInt16:
    return "int16";
  case kGpuInt8:
    return "int8";
  case kGpuStorage16:
    return "storage16";
  case kGpuStorage8:
    return "storage8";
  case kGpuExact16:
    return "exact16";
  case kGpuExact32:
    return "exact32";
  case kGpuExact64:
    return "exact64";
  case kGpuDenorms16:
    return "denorms16";
  case kGpuDenorms32:
    return "denorms32";
  case kGpuDenorms64:
    return "denorms64";
  case kGpuFma32:
    return "fma32";
  case kGpuSubgroups:
    return "subgroups";
  case kGpuMatrices:
    return "matrices";
  case kGpuAddresses:
    return "addresses";
  case kGpuNormalFma32:
    return "fma32-normal";
  }
  return "unknown";
}

uint32_t GpuPlan::maxBindings() const {
  return greatest(kernels, [](const GpuKernel &kernel) {
    return kernel.arguments == GpuArguments::Bindings ? kernel.bindings.size() : 0;
  });
}

uint32_t GpuPlan::maxInvocations() const {
  return greatest(
      kernels, [](const GpuKernel &kernel) { return kernel.workgroup[0] * kernel.workgroup[1] * kernel.workgroup[2]; });
}

uint32_t GpuPlan::maxWorkgroupMemoryBytes() const {
  return greatest(kernels, [](const GpuKernel &kernel) { return kernel.workgroupMemoryBytes; });
}

uint32_t GpuPlan::maxPushConstantBytes() const {
  return greatest(kernels, [](const GpuKernel &kernel) { return kernel.addressBytes() + kernel.pushConstantBytes; });
}

uint64_t GpuPlan::maxBindingBytes() const { return mostBytes(*this, false); }
uint64_t GpuPlan::maxAddressedBytes() const { return mostBytes(*this, true); }

std::array<uint32_t, 3> GpuPlan::maxGrid() const {
  std::array<uint32_t, 3> most = {0, 0, 0};
  forEachStep(steps, [&](const GpuStep &step) {
    if (step.kind == GpuStepKind::Launch)
      for (size_t i = 0; i < 3; ++i)
        most[i] = std::max(most[i], step.grid[i]);
  });
  return most;
}

bool isGpuPlan(std::span<const std::byte> bytes) { return ByteReader(bytes).get<uint64_t>() == kMagic; }

std::vector<std::byte> serialize(const GpuPlan &plan) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.put(kMagic);
  out.put(kGpuPlanVersion);
  out.put(plan.features);
  out.put(plan.arenaBytes);
  out.put(plan.scalarBytes);
  putAll(out, plan.bufferBytes);
  out.put(static_cast<uint32_t>(plan.constants.size()));
  for (const std::vector<std::byte> &constant : plan.constants)
    putAll(out, constant);
  out.put(static_cast<uint32_t>(plan.modules.size()));
  for (const GpuModule &module : plan.modules)
    putAll(out, module.words);
  out.put(static_cast<uint32_t>(plan.kernels.size()));
  for (const GpuKernel &kernel : plan.kernels) {
    out.put(kernel.module);
    out.put(std::string_view(kernel.entry));
    out.put(kernel.workgroup);
    putAll(out, kernel.bindings);
    out.put(kernel.pushConstantBytes);
    out.put(kernel.workgroupMemoryBytes);
    out.put(kernel.subgroupSize);
    out.put(kernel.cluster);
    out.put(static_cast<uint8_t>(kernel.arguments));
  }
  putSteps(out, plan.steps);
  return bytes;
}

Expected<GpuPlan> parseGpuPlan(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.get<uint64_t>() != kMagic || in.get<uint32_t>() != kGpuPlanVersion)
    return Status::error(ErrorCode::DataLoss, "not a GPU plan of this version");
  GpuPlan plan;
  plan.features = in.get<uint32_t>();
  if (plan.features & ~kGpuAllFeatures)
    in.fail();
  plan.arenaBytes = in.get<uint64_t>();
  plan.scalarBytes = in.get<uint32_t>();
  plan.bufferBytes.resize(in.count(8));
  for (uint64_t &size : plan.bufferBytes)
    size = in.get<uint64_t>();
  plan.constants.resize(in.count(4));
  for (std::vector<std::byte> &constant : plan.constants) {
    constant.resize(in.count(1));
    in.copy(constant.data(), constant.size());
  }
  plan.modules.resize(in.count(4));
  for (GpuModule &module : plan.modules) {
    module.words.resize(in.count(4));
    in.copy(module.words.data(), module.words.size() * 4);
    // A header has five words.
    if (module.words.size() < 5 || module.words[0] != kSpirvMagic)
      in.fail();
  }
  plan.kernels.resize(in.count(41));
  for (GpuKernel &kernel : plan.kernels) {
    kernel.module = in.get<uint32_t>();
    kernel.entry = in.text();
    kernel.workgroup = in.get<std::array<uint32_t, 3>>();
    kernel.bindings.resize(in.count(1));
    in.copy(kernel.bindings.data(), kernel.bindings.size());
    kernel.pushConstantBytes = in.get<uint32_t>();
    kernel.workgroupMemoryBytes = in.get<uint32_t>();
    kernel.subgroupSize = in.get<uint32_t>();
    kernel.cluster = in.get<uint32_t>();
    const uint8_t arguments = in.get<uint8_t>();
    if (arguments > static_cast<uint8_t>(GpuArguments::Table))
      in.fail();
    kernel.arguments = static_cast<GpuArguments>(arguments);
    if (kernel.module >= plan.modules.size() || kernel.pushConstantBytes % 4 != 0)
      in.fail();
    uint64_t invocations = 1;
    for (uint32_t size : kernel.workgroup) {
      if (size == 0 || size > kMaxInvocations)
        in.fail();
      invocations = std::min<uint64_t>(invocations * size, kMaxInvocations + 1);
    }
    if (invocations > kMaxInvocations)
      in.fail();
    // Subgroups lie along x.
    if (kernel.subgroupSize != 0 && kernel.workgroup[0] % kernel.subgroupSize != 0)
      in.fail();
    for (uint8_t access : kernel.bindings)
      if (access == 0 || access > (kGpuRead | kGpuWrite))
        in.fail();
  }
  plan.steps = Reader(in, plan).steps();
  if (!in.ok() || !in.atEnd())
    return Status::error(ErrorCode::DataLoss, "the GPU plan is truncated or malformed");
  return plan;
}

} // namespace burn::core

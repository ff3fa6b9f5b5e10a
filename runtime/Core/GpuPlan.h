// The code of an executable for a GPU: shader modules, the kernels in them, and the steps that run them. It stands
// where the ELF file stands in an executable for a CPU; the core::Plan beside it says what arguments and results are.
//
// Memory that steps name:
//   buffers    the buffer arguments in order, then the results in order (the `bufs` of burn/abi.h)
//   arena      `arenaBytes` of device memory, scratch of one run
//   constants  data of the plan, uploaded once
//   scalars    `scalarBytes`, the block of scalar arguments (PlanArg::offset), padded to a multiple of 4 bytes; the
//              device sees a copy made at the start of the run
//   error      one 32-bit word, set to kGpuNoError before the first step. A kernel whose check fails lowers it to the
//              number of the check (an atomic minimum) unless an earlier kernel has left one; the run then ends with
//              that check, an index into Plan::checks.
//
// Steps run in order: each sees what the earlier ones wrote. Buffers are the runtime's own and at least as large as
// `bufferBytes`; a binding of 0 bytes is never read or written, so any buffer may be bound for it.
#pragma once

#include "runtime/Core/Executable.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace burn::core {

/// Version of the byte format and of the conventions above; another version is a cache miss.
inline constexpr uint32_t kGpuPlanVersion = 4;

/// Offsets of bindings in the arena are multiples of this, the largest minStorageBufferOffsetAlignment that Vulkan
/// allows, in bytes.
inline constexpr uint64_t kGpuBindingAlignment = 256;

/// The cluster of a kernel that is a part of none.
inline constexpr uint32_t kGpuNoCluster = 0xffffffff;

/// The error word of a run without a failed check.
inline constexpr uint32_t kGpuNoError = 0xffffffff;

/// What kernels may expect of a device beyond the baseline (Vulkan 1.1), a bit each. A device without a required
/// feature cannot run the plan.
enum GpuFeature : uint32_t {
  kGpuFloat64 = 1u << 0,
  kGpuFloat16 = 1u << 1,
  kGpuInt64 = 1u << 2,
  kGpuInt16 = 1u << 3,
  kGpuInt8 = 1u << 4,
  /// Elements of 16 and of 8 bits in storage buffers.
  kGpuStorage16 = 1u << 5,
  kGpuStorage8 = 1u << 6,
  /// Floats of 16, 32 and 64 bits that round to nearest and keep the signs of zeros, infinities and NaN, where code
  /// asks for it.
  kGpuExact16 = 1u << 7,
  kGpuExact32 = 1u << 8,
  kGpuExact64 = 1u << 9,
  /// The same for subnormal numbers.
  kGpuDenorms16 = 1u << 10,
  kGpuDenorms32 = 1u << 11,
  kGpuDenorms64 = 1u << 12,
  /// A fused multiply-add of f32 that rounds once.
  kGpuFma32 = 1u << 13,
  /// Workgroups made of whole subgroups of GpuTarget::subgroupSize invocations, where code asks for that, whose
  /// invocations read one another's registers.
  kGpuSubgroups = 1u << 14,
  /// Products of small matrices by a subgroup, in the shapes of GpuTarget::matrices.
  kGpuMatrices = 1u << 15,
  /// A fused multiply-add of f32 that rounds once where no operand and no result is a subnormal number.
  kGpuNormalFma32 = 1u << 16,
  /// Memory by 64-bit addresses.
  kGpuAddresses = 1u << 17,
};
inline constexpr uint32_t kGpuAllFeatures = (1u << 18) - 1;
/// Features that code uses wherever they are.
inline constexpr uint32_t kGpuFloatControls =
    kGpuExact16 | kGpuExact32 | kGpuExact64 | kGpuDenorms16 | kGpuDenorms32 | kGpuDenorms64;

/// Name of a feature, for messages.
const char *gpuFeatureName(GpuFeature feature);

/// SPIR-V, one module.
struct GpuModule {
  std::vector<uint32_t> words;
};

/// How a kernel uses a binding; bits.
enum GpuAccess : uint8_t { kGpuRead = 1, kGpuWrite = 2 };

/// How a kernel finds the ranges of a launch.
enum class GpuArguments : uint8_t {
  /// As descriptor set 0, bindings 0, 1, ... without holes.
  Bindings = 0,
  /// By their addresses, which are its first push constants.
  Addresses = 1,
  /// By their addresses in a table, whose address is its first push constant.
  Table = 2,
};

/// An entry point of a module.
struct GpuKernel {
  /// Index into GpuPlan::modules.
  uint32_t module = 0;
  std::string entry;
  std::array<uint32_t, 3> workgroup = {1, 1, 1};
  /// GpuAccess bits, one entry for each range that a launch gives it.
  std::vector<uint8_t> bindings;
  /// Those of the plan, behind addresses.
  uint32_t pushConstantBytes = 0;
  /// Shared memory of a workgroup.
  uint32_t workgroupMemoryBytes = 0;
  /// Invocations of each subgroup, of which its workgroups are made; 0: any, in any way.
  uint32_t subgroupSize = 0;
  /// Index into Plan::kernels: the cluster that this kernel is a part of, for profiles and messages; kGpuNoCluster
  /// where it is a part of none.
  uint32_t cluster = 0;
  GpuArguments arguments = GpuArguments::Bindings;

  /// Bytes of addresses that are pushed.
  uint32_t addressBytes() const {
    return arguments == GpuArguments::Addresses ? 8 * static_cast<uint32_t>(bindings.size())
           : arguments == GpuArguments::Table   ? 8
                                                : 0;
  }
};

enum class GpuMemory : uint8_t { Buffer = 0, Arena = 1, Constant = 2, Scalars = 3, Error = 4 };

/// A range of memory.
struct GpuRange {
  GpuMemory memory = GpuMemory::Buffer;
  /// Number of the buffer or constant; 0 for the others.
  uint32_t index = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  friend bool operator==(const GpuRange &, const GpuRange &) = default;
};

enum class GpuStepKind : uint8_t {
  /// Dispatch `kernel` over `grid` workgroups with `ranges` as its bindings and `pushConstants`.
  Launch = 0,
  /// Copy ranges[0] to ranges[1], which has the same size and does not overlap it.
  Copy = 1,
  /// Read the byte ranges[0]; run `first` where it is not 0, else `second`.
  If = 2,
  /// Read lower, upper and step, the signed integers of `indexBytes` bytes in ranges[0..2]. A step that is not positive
  /// fails `check`. Else run `first` for each lower, lower + step, ... below upper, with the number written to
  /// ranges[3] before; the count of iterations is known before the first, so no number overflows.
  For = 3,
  /// Run `second`, then read the byte ranges[0]; where it is not 0 run `first` and begin anew.
  While = 4,
  /// Read ranges[0] once all steps before have run, and hand it to the host as the operand of Plan::hostCalls[kernel],
  /// a print.
  Print = 5,
};

struct GpuStep {
  GpuStepKind kind = GpuStepKind::Launch;
  /// Index into GpuPlan::kernels, of a Print into Plan::hostCalls.
  uint32_t kernel = 0;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<uint32_t> pushConstants;
  std::vector<GpuRange> ranges;
  /// Bytes of the index of a For: 1, 2, 4 or 8.
  uint8_t indexBytes = 4;
  /// Index into Plan::checks.
  uint32_t check = 0;
  std::vector<GpuStep> first, second;
};

struct GpuPlan {
  std::vector<GpuModule> modules;
  std::vector<GpuKernel> kernels;
  std::vector<GpuStep> steps;
  std::vector<std::vector<std::byte>> constants;
  /// Size of each buffer.
  std::vector<uint64_t> bufferBytes;
  uint64_t arenaBytes = 0;
  uint32_t scalarBytes = 0;
  /// GpuFeature bits.
  uint32_t features = 0;

  /// The limits of a device that the plan needs: the greatest over its kernels. Push constants include addresses.
  uint32_t maxBindings() const; // that are bound
  uint32_t maxInvocations() const;
  uint32_t maxWorkgroupMemoryBytes() const;
  uint32_t maxPushConstantBytes() const;
  uint64_t maxBindingBytes() const;
  uint64_t maxAddressedBytes() const;
  std::array<uint32_t, 3> maxGrid() const;
};

/// Calls `visit` for every step, those inside of control flow too, in order.
template <typename Visitor> void forEachStep(const std::vector<GpuStep> &steps, Visitor &&visit) {
  for (const GpuStep &step : steps) {
    visit(step);
    forEachStep(step.first, visit);
    forEachStep(step.second, visit);
  }
}

/// Whether bytes begin as a serialized GpuPlan does (an ELF file does not).
bool isGpuPlan(std::span<const std::byte> bytes);

std::vector<std::byte> serialize(const GpuPlan &plan);

/// Reads a plan back. DataLoss for bytes of another version, and for any index, range or size that leaves what it
/// refers to, so that a plan that was read can be run without further checks of its own consistency.
Expected<GpuPlan> parseGpuPlan(std::span<const std::byte> bytes);

} // namespace burn::core

// The capability model of GPUs: what code may ask of a device. Read from the device by the runtime, handed to the
// compiler as text, and part of every plan key; kernels are written against it, never against a named device.
#pragma once

#include "runtime/Core/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace burn::core {

/// Invocations of a workgroup that kernels have at most, where the GPU allows as many. One with the feature `subgroups`
/// has whole subgroups for them.
inline constexpr uint32_t kGpuMostInvocations = 256;

/// A product of small matrices that a subgroup computes: elements of one type, f16 or i8, m x k times k x n, added to
/// m x n sums of f32 or i32.
struct GpuMatrixShape {
  enum Element : uint8_t { F16, I8 } element = F16;
  uint32_t m = 0, n = 0, k = 0;
  friend bool operator==(const GpuMatrixShape &, const GpuMatrixShape &) = default;
};

/// The defaults are what every device of Vulkan 1.1 has.
struct GpuTarget {
  /// GpuFeature bits (runtime/Core/GpuPlan.h).
  uint32_t features = 0;
  /// Invocations of a subgroup. Not all of a workgroup's need have as many, unless the GPU has the feature `subgroups`
  /// and a kernel asks for it.
  uint32_t subgroupSize = 1;
  /// Invocations of a workgroup, in all and along each axis.
  uint32_t maxInvocations = 128;
  std::array<uint32_t, 3> maxWorkgroup = {128, 128, 64};
  /// Workgroups of a launch, along each axis.
  std::array<uint32_t, 3> maxGrid = {65535, 65535, 65535};
  /// Shared memory of a workgroup.
  uint32_t workgroupMemoryBytes = 16384;
  uint32_t pushConstantBytes = 128;
  /// Storage buffers that are bound for a kernel, and bytes of each.
  uint32_t maxBindings = 4;
  uint64_t maxBindingBytes = uint64_t(1) << 27;
  /// Of a GPU with the feature `addresses`: bytes of a buffer that is reached by its address; and up to how many
  /// buffers a kernel has them bound all the same, since it is faster so.
  uint64_t maxAddressedBytes = 0;
  uint32_t boundBuffers = 0;
  /// Iterations of all loops of an invocation together, beyond which the driver ends its loops; 0: none.
  uint32_t loopIterations = 0;
  /// Products of matrices, where the GPU has the feature `matrices`.
  std::vector<GpuMatrixShape> matrices;

  friend bool operator==(const GpuTarget &, const GpuTarget &) = default;

  /// Whether a kernel with so many buffers, the largest of so many bytes, finds them by address.
  bool takesAddresses(uint64_t buffers, uint64_t bytes) const;
  /// Bytes of a buffer that a kernel can reach.
  uint64_t maxBufferBytes() const;
  /// Buffers of a kernel that fusion may make; 0: any number.
  uint32_t fusedBuffers() const;

  /// "float64,int64,subgroup=8,invocations=1024,...,matrix=f16:16x16x16": features by name, every number, then each
  /// shape of matrices (m, n and k). Equal targets give equal texts.
  std::string str() const;

  /// Reads what `str` writes, in any order; what is absent keeps its default. InvalidArgument, naming the word, for any
  /// that is unknown or malformed.
  static Expected<GpuTarget> parse(std::string_view text);
};

} // namespace burn::core

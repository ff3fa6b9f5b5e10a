// What code to ask of the compiler for the processor at hand. The compiler never looks at the machine.
#pragma once

#include "runtime/Core/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace burn::runtime {

/// Names of LLVM, handed to the compiler as they are; part of every plan key.
struct CpuTarget {
  std::string cpu;      // "sapphirerapids", "x86-64-v3", "x86-64"
  std::string features; // "+avx2,+fma,-avx512f", "sve-bits=256", or empty where the name says it all
  friend bool operator==(const CpuTarget &, const CpuTarget &) = default;
};

/// The processor as cpuid, or the words of AT_HWCAP, and the operating system describe it.
struct CpuInfo {
  std::string vendor;                // "GenuineIntel", "AuthenticAMD"; "AArch64" for all of those
  std::vector<std::string> features; // names of LLVM, usable ones alone
  unsigned sveBits = 0;              // width of SVE's vectors in this process; 0: no SVE
  bool has(std::string_view feature) const;
};

/// Reads the processor that this runs on. Empty where that is neither x86-64 nor AArch64.
CpuInfo readCpu();

/// A number that tells models of processors apart, beyond what code can be made for: family, model and stepping of
/// cpuid; 0 where that is not an x86-64 one.
uint32_t cpuModel();

/// The target for a processor. `override` is the value of BURN_CPU: an LLVM CPU name in place of the detected one;
/// empty or "native" detects. Unsupported for other architectures, InvalidArgument for a name that is unknown or that
/// asks for features which this processor lacks.
core::Expected<CpuTarget> selectCpuTarget(const CpuInfo &cpu, std::string_view override);

/// selectCpuTarget for this machine and environment, computed once.
const core::Expected<CpuTarget> &hostCpuTarget();

} // namespace burn::runtime

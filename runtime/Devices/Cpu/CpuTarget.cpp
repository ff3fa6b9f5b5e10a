#include "runtime/Devices/Cpu/CpuTarget.h"

#include "runtime/Core/Cpu/CpuFeatures.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

// A CPU name and what it asks for beyond the name that it builds on. Features that only privileged or special code
// uses are left out: a virtual machine without them runs our code all the same.
struct CpuName {
  std::string_view name;
  std::string_view base;
  std::string_view vendor; // empty: any; never detected by name then, except for the levels
  std::string_view features;
};

constexpr std::string_view kIntel = "GenuineIntel", kAmd = "AuthenticAMD";
// Stands for the vendors of AArch64: their processors are told apart by features alone.
constexpr std::string_view kArm = "AArch64";

// Within a vendor the last name that a processor satisfies is taken.
constexpr CpuName kX86Cpus[] = {
    {"x86-64", "", "", ""}, // SSE2
    {"x86-64-v2", "x86-64", "", "sse3 ssse3 sse4.1 sse4.2 cx16 sahf popcnt"},
    {"x86-64-v3", "x86-64-v2", "", "movbe lzcnt bmi bmi2 avx avx2 f16c fma"},
    {"x86-64-v4", "x86-64-v3", "", "avx512f avx512bw avx512cd avx512dq avx512vl"},
    {"haswell", "x86-64-v3", kIntel, "pclmul"},
    {"broadwell", "haswell", kIntel, "adx prfchw"},
    {"skylake", "broadwell", kIntel, "aes clflushopt"},
    {"alderlake", "skylake", kIntel, "avxvnni gfni vaes vpclmulqdq sha clwb movdiri movdir64b rdpid serialize"},
    {"arrowlake", "alderlake", kIntel, "avxifma avxneconvert avxvnniint8"},
    {"skylake-avx512", "skylake", kIntel, "avx512f avx512bw avx512cd avx512dq avx512vl clwb"},
    {"cascadelake", "skylake-avx512", kIntel, "avx512vnni"},
    {"cooperlake", "cascadelake", kIntel, "avx512bf16"},
    {"icelake-server", "cascadelake", kIntel,
     "avx512ifma avx512vbmi avx512vbmi2 avx512bitalg avx512vpopcntdq gfni vaes vpclmulqdq sha rdpid"},
    {"sapphirerapids", "icelake-server", kIntel,
     "avx512bf16 avx512fp16 avxvnni movdiri movdir64b serialize amx-tile amx-bf16 amx-int8"},
    {"graniterapids", "sapphirerapids", kIntel, "amx-fp16 prefetchi"},
    {"znver1", "x86-64-v3", kAmd, "aes pclmul sha adx clflushopt prfchw sse4a"},
    {"znver2", "znver1", kAmd, "clwb rdpid"},
    {"znver3", "znver2", kAmd, "vaes vpclmulqdq"},
    {"znver4", "znver3", kAmd,
     "avx512f avx512bw avx512cd avx512dq avx512vl avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512bitalg "
     "avx512vpopcntdq avx512bf16 gfni"},
    {"znver5", "znver4", kAmd, "avxvnni avx512vp2intersect movdiri movdir64b prefetchi"},
};

constexpr CpuName kArmCpus[] = {
    {"generic", "", kArm, "fp-armv8 neon"},
    {"cortex-a53", "generic", kArm, "crc"},
    {"cortex-a72", "generic", kArm, "crc"},
    {"cortex-a76", "cortex-a72", kArm, "lse rdm rcpc fullfp16 dotprod"},
    {"apple-m1", "cortex-a76", kArm, "aes sha2 sha3 complxnum jsconv fp16fml flagm fptoint"},
    {"neoverse-n1", "cortex-a76", kArm, "aes sha2"},
    {"neoverse-v1", "neoverse-n1", kArm, "jsconv complxnum sha3 sve fp16fml flagm bf16 i8mm"},
    {"neoverse-n2", "neoverse-v1", kArm, "sve2 fptoint"},
    {"neoverse-v2", "neoverse-n2", kArm, ""},
    {"a64fx", "generic", kArm, "crc lse rdm fullfp16 complxnum sha2 sve"},
};

std::span<const CpuName> namesFor(const CpuInfo &cpu) {
  return cpu.vendor == kArm ? std::span<const CpuName>(kArmCpus) : std::span<const CpuName>(kX86Cpus);
}

const CpuName *findCpu(std::span<const CpuName> names, std::string_view name) {
  for (const CpuName &cpu : names)
    if (cpu.name == name)
      return &cpu;
  return nullptr;
}

/// What `cpu` lacks of the features of a name, separated by spaces.
std::string missingFeatures(const CpuInfo &cpu, const CpuName *name) {
  std::string missing;
  for (; name; name = findCpu(namesFor(cpu), name->base)) {
    std::string_view rest = name->features;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (!cpu.has(rest.substr(0, end)))
        missing.append(missing.empty() ? "" : " ").append(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return missing;
}

/// Whether a name asks for a feature.
bool asksFor(const CpuInfo &cpu, const CpuName *name, std::string_view feature) {
  CpuInfo without = cpu;
  std::erase(without.features, feature);
  return !missingFeatures(without, name).empty();
}

std::string sveWidth(const CpuInfo &cpu) { return std::string(core::kSveBits) + std::to_string(cpu.sveBits); }

#if defined(__x86_64__)
// The system saves the tiles of AMX only for processes that ask for it, and may refuse; without that their first use
// ends the process. The permission holds for all threads, and for children until they load another program.
bool requestTiles() {
#if defined(__linux__) && defined(SYS_arch_prctl)
  constexpr int requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}
#endif

} // namespace

bool CpuInfo::has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

CpuInfo readCpu() {
  CpuInfo info;
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
    return info;
  char vendor[12];
  std::memcpy(vendor, &ebx, 4);
  std::memcpy(vendor + 4, &edx, 4);
  std::memcpy(vendor + 8, &ecx, 4);
  info.vendor.assign(vendor, sizeof vendor);

  uint64_t savedState = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx >> 27 & 1)) {
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    savedState = uint64_t(high) << 32 | low;
  }
  // Asked for only where the processor has tiles.
  const bool hasTiles = (savedState & 0x60006) == 0x60006 && requestTiles();
  const auto saves = [&](core::SavedState saved) {
    const uint64_t bits = core::xcr0Bits(saved);
    return (savedState & bits) == bits && (saved != core::SavedState::Amx || hasTiles);
  };
  // Each leaf is asked for once: in a virtual machine the question goes to its host, for tens of microseconds.
  unsigned registers[4] = {}, leaf = 0, subleaf = 0, subleaves = 0;
  for (const core::X86Feature &feature : core::x86Features()) {
    if (feature.leaf != leaf || feature.subleaf != subleaf) {
      leaf = feature.leaf;
      subleaf = feature.subleaf;
      // Leaf 7 tells in eax how many subleaves it has; beyond them the processor may answer anything.
      if ((leaf == 7 && subleaf > subleaves) ||
          !__get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]))
        std::memset(registers, 0, sizeof registers);
      if (leaf == 7 && subleaf == 0)
        subleaves = registers[0];
    }
    if ((registers[static_cast<int>(feature.reg)] >> feature.bit & 1) && saves(feature.saved))
      info.features.emplace_back(feature.name);
  }
#elif defined(__aarch64__) && defined(__linux__)
  info.vendor = kArm;
  const uint64_t hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
  for (const core::ArmFeature &feature : core::armFeatures())
    if ((hwcap & feature.hwcap) == feature.hwcap && (hwcap2 & feature.hwcap2) == feature.hwcap2)
      info.features.emplace_back(feature.name);
#if defined(PR_SVE_GET_VL)
  // The width that this process has been given, which the processor may exceed.
  if (const int length = prctl(PR_SVE_GET_VL); info.has("sve") && length > 0)
    info.sveBits = static_cast<unsigned>(length & PR_SVE_VL_LEN_MASK) * 8;
#endif
#endif
  return info;
}

uint32_t cpuModel() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
#if defined(__x86_64__)
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
#endif
  return eax;
}

Expected<CpuTarget> selectCpuTarget(const CpuInfo &cpu, std::string_view override) {
  if (cpu.vendor.empty())
    return Status::error(ErrorCode::Unsupported,
                         "this processor is not supported: code is made for x86-64 and AArch64");

  if (!override.empty() && override != "native") {
    const CpuName *name = findCpu(namesFor(cpu), override);
    if (!name) {
      std::string text = "BURN_CPU: unknown processor \"" + std::string(override) + "\"; known are native";
      for (const CpuName &known : namesFor(cpu))
        text.append(", ").append(known.name);
      return Status::invalid(std::move(text));
    }
    if (const std::string missing = missingFeatures(cpu, name); !missing.empty())
      return Status::invalid("BURN_CPU: this processor cannot run code for " + std::string(override) + ", it lacks " +
                             missing);
    return CpuTarget{std::string(override), cpu.sveBits && asksFor(cpu, name, "sve") ? sveWidth(cpu) : ""};
  }

  std::string_view best = namesFor(cpu).front().name;
  if (cpu.vendor != kArm)
    for (const CpuName &name : kX86Cpus)
      if ((name.vendor.empty() || name.vendor == cpu.vendor) && missingFeatures(cpu, &name).empty())
        best = name.name;
  // The full list, since the name may stand for features that this very machine lacks.
  CpuTarget target{std::string(best), ""};
  const auto add = [&](std::string_view feature) {
    target.features.append(target.features.empty() ? "" : ",").append(cpu.has(feature) ? "+" : "-").append(feature);
  };
  if (cpu.vendor != kArm) {
    for (const core::X86Feature &feature : core::x86Features())
      add(feature.name);
    return target;
  }
  for (const core::ArmFeature &feature : core::armFeatures())
    add(feature.name);
  if (cpu.sveBits)
    target.features.append(",").append(sveWidth(cpu));
  return target;
}

const Expected<CpuTarget> &hostCpuTarget() {
  static const Expected<CpuTarget> target = [] {
    const char *override = std::getenv("BURN_CPU");
    return selectCpuTarget(readCpu(), override ? override : "");
  }();
  return target;
}

} // namespace burn::runtime

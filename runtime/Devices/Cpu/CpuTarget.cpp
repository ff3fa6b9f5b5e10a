#include "runtime/Devices/Cpu/CpuTarget.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

enum class Register : uint8_t { Eax, Ebx, Ecx, Edx };

// What the operating system has to save for a feature to be usable.
enum class Saved : uint8_t { Nothing, Avx, Avx512, Amx };

struct FeatureBit {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  Saved saved;
};

constexpr uint32_t kExtended = 0x80000001;

// Features that a code generator may use, with their place in cpuid.
constexpr FeatureBit kFeatures[] = {
    {"sse3", 1, 0, Register::Ecx, 0, Saved::Nothing},
    {"pclmul", 1, 0, Register::Ecx, 1, Saved::Nothing},
    {"ssse3", 1, 0, Register::Ecx, 9, Saved::Nothing},
    {"fma", 1, 0, Register::Ecx, 12, Saved::Avx},
    {"cx16", 1, 0, Register::Ecx, 13, Saved::Nothing},
    {"sse4.1", 1, 0, Register::Ecx, 19, Saved::Nothing},
    {"sse4.2", 1, 0, Register::Ecx, 20, Saved::Nothing},
    {"movbe", 1, 0, Register::Ecx, 22, Saved::Nothing},
    {"popcnt", 1, 0, Register::Ecx, 23, Saved::Nothing},
    {"aes", 1, 0, Register::Ecx, 25, Saved::Nothing},
    {"avx", 1, 0, Register::Ecx, 28, Saved::Avx},
    {"f16c", 1, 0, Register::Ecx, 29, Saved::Avx},
    {"bmi", 7, 0, Register::Ebx, 3, Saved::Nothing},
    {"avx2", 7, 0, Register::Ebx, 5, Saved::Avx},
    {"bmi2", 7, 0, Register::Ebx, 8, Saved::Nothing},
    {"avx512f", 7, 0, Register::Ebx, 16, Saved::Avx512},
    {"avx512dq", 7, 0, Register::Ebx, 17, Saved::Avx512},
    {"adx", 7, 0, Register::Ebx, 19, Saved::Nothing},
    {"avx512ifma", 7, 0, Register::Ebx, 21, Saved::Avx512},
    {"clflushopt", 7, 0, Register::Ebx, 23, Saved::Nothing},
    {"clwb", 7, 0, Register::Ebx, 24, Saved::Nothing},
    {"avx512cd", 7, 0, Register::Ebx, 28, Saved::Avx512},
    {"sha", 7, 0, Register::Ebx, 29, Saved::Nothing},
    {"avx512bw", 7, 0, Register::Ebx, 30, Saved::Avx512},
    {"avx512vl", 7, 0, Register::Ebx, 31, Saved::Avx512},
    {"avx512vbmi", 7, 0, Register::Ecx, 1, Saved::Avx512},
    {"avx512vbmi2", 7, 0, Register::Ecx, 6, Saved::Avx512},
    {"gfni", 7, 0, Register::Ecx, 8, Saved::Nothing},
    {"vaes", 7, 0, Register::Ecx, 9, Saved::Avx},
    {"vpclmulqdq", 7, 0, Register::Ecx, 10, Saved::Avx},
    {"avx512vnni", 7, 0, Register::Ecx, 11, Saved::Avx512},
    {"avx512bitalg", 7, 0, Register::Ecx, 12, Saved::Avx512},
    {"avx512vpopcntdq", 7, 0, Register::Ecx, 14, Saved::Avx512},
    {"rdpid", 7, 0, Register::Ecx, 22, Saved::Nothing},
    {"cldemote", 7, 0, Register::Ecx, 25, Saved::Nothing},
    {"movdiri", 7, 0, Register::Ecx, 27, Saved::Nothing},
    {"movdir64b", 7, 0, Register::Ecx, 28, Saved::Nothing},
    {"avx512vp2intersect", 7, 0, Register::Edx, 8, Saved::Avx512},
    {"serialize", 7, 0, Register::Edx, 14, Saved::Nothing},
    {"amx-bf16", 7, 0, Register::Edx, 22, Saved::Amx},
    {"avx512fp16", 7, 0, Register::Edx, 23, Saved::Avx512},
    {"amx-tile", 7, 0, Register::Edx, 24, Saved::Amx},
    {"amx-int8", 7, 0, Register::Edx, 25, Saved::Amx},
    {"avxvnni", 7, 1, Register::Eax, 4, Saved::Avx},
    {"avx512bf16", 7, 1, Register::Eax, 5, Saved::Avx512},
    {"amx-fp16", 7, 1, Register::Eax, 21, Saved::Amx},
    {"avxifma", 7, 1, Register::Eax, 23, Saved::Avx},
    {"avxvnniint8", 7, 1, Register::Edx, 4, Saved::Avx},
    {"avxneconvert", 7, 1, Register::Edx, 5, Saved::Avx},
    {"avxvnniint16", 7, 1, Register::Edx, 10, Saved::Avx},
    {"prefetchi", 7, 1, Register::Edx, 14, Saved::Nothing},
    {"sahf", kExtended, 0, Register::Ecx, 0, Saved::Nothing},
    {"lzcnt", kExtended, 0, Register::Ecx, 5, Saved::Nothing},
    {"sse4a", kExtended, 0, Register::Ecx, 6, Saved::Nothing},
    {"prfchw", kExtended, 0, Register::Ecx, 8, Saved::Nothing},
};

// A CPU name and what it asks for beyond the name that it builds on. Features that only privileged or special code
// uses are left out: a virtual machine without them runs our code all the same.
struct CpuName {
  std::string_view name;
  std::string_view base;
  std::string_view vendor; // empty: any; never detected by name then, except for the levels
  std::string_view features;
};

constexpr std::string_view kIntel = "GenuineIntel", kAmd = "AuthenticAMD";

// Within a vendor the last name that a processor satisfies is taken.
constexpr CpuName kCpus[] = {
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

const CpuName *findCpu(std::string_view name) {
  for (const CpuName &cpu : kCpus)
    if (cpu.name == name)
      return &cpu;
  return nullptr;
}

/// What `cpu` lacks of the features of a name, separated by spaces.
std::string missingFeatures(const CpuInfo &cpu, const CpuName *name) {
  std::string missing;
  for (; name; name = findCpu(name->base)) {
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
  const auto saves = [&](Saved saved) {
    switch (saved) {
    case Saved::Nothing:
      return true;
    case Saved::Avx:
      return (savedState & 0x6) == 0x6;
    case Saved::Avx512:
      return (savedState & 0xe6) == 0xe6;
    case Saved::Amx:
      return hasTiles;
    }
    return false;
  };
  for (const FeatureBit &feature : kFeatures) {
    unsigned registers[4] = {};
    if (!__get_cpuid_count(feature.leaf, feature.subleaf, &registers[0], &registers[1], &registers[2], &registers[3]))
      continue;
    // Leaf 7 tells in eax how many subleaves it has; beyond them the processor may answer anything.
    if (feature.leaf == 7 && feature.subleaf > 0) {
      unsigned subleaves = 0;
      __get_cpuid_count(7, 0, &subleaves, &ebx, &ecx, &edx);
      if (feature.subleaf > subleaves)
        continue;
    }
    if ((registers[static_cast<int>(feature.reg)] >> feature.bit & 1) && saves(feature.saved))
      info.features.emplace_back(feature.name);
  }
#endif
  return info;
}

Expected<CpuTarget> selectCpuTarget(const CpuInfo &cpu, std::string_view override) {
  if (cpu.vendor.empty())
    return Status::error(ErrorCode::Unsupported, "this processor is not supported: code is made for x86-64");

  if (!override.empty() && override != "native") {
    const CpuName *name = findCpu(override);
    if (!name) {
      std::string text = "BURN_CPU: unknown processor \"" + std::string(override) + "\"; known are native";
      for (const CpuName &known : kCpus)
        text.append(", ").append(known.name);
      return Status::invalid(std::move(text));
    }
    if (const std::string missing = missingFeatures(cpu, name); !missing.empty())
      return Status::invalid("BURN_CPU: this processor cannot run code for " + std::string(override) + ", it lacks " +
                             missing);
    return CpuTarget{std::string(override), ""};
  }

  std::string_view best = "x86-64";
  for (const CpuName &name : kCpus)
    if ((name.vendor.empty() || name.vendor == cpu.vendor) && missingFeatures(cpu, &name).empty())
      best = name.name;
  // The full list, since the name may stand for features that this very machine lacks.
  CpuTarget target{std::string(best), ""};
  for (const FeatureBit &feature : kFeatures)
    target.features.append(target.features.empty() ? "" : ",")
        .append(cpu.has(feature.name) ? "+" : "-")
        .append(feature.name);
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

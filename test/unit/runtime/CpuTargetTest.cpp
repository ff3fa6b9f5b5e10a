#include "runtime/Devices/Cpu/CpuTarget.h"

#include <fstream>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

using namespace burn::runtime;
using burn::core::ErrorCode;

namespace {

CpuInfo cpuWith(std::string vendor, const std::string &features) {
  CpuInfo info{std::move(vendor), {}, 0};
  std::istringstream words(features);
  for (std::string word; words >> word;)
    info.features.push_back(word);
  return info;
}

const std::string kHaswell = "sse3 ssse3 sse4.1 sse4.2 cx16 sahf popcnt movbe lzcnt bmi bmi2 avx avx2 f16c fma pclmul";
const std::string kZen3 = kHaswell + " aes sha adx clflushopt prfchw sse4a clwb rdpid vaes vpclmulqdq";
const std::string kSkylakeServer =
    kHaswell + " adx prfchw aes clflushopt avx512f avx512bw avx512cd avx512dq avx512vl clwb";

} // namespace

TEST_CASE("a processor gets the name of its kind and its features in full", "[cpu]") {
  CHECK(selectCpuTarget(cpuWith("GenuineIntel", kHaswell), "")->cpu == "haswell");
  CHECK(selectCpuTarget(cpuWith("GenuineIntel", kSkylakeServer), "native")->cpu == "skylake-avx512");
  const auto zen = selectCpuTarget(cpuWith("AuthenticAMD", kZen3), "");
  CHECK(zen->cpu == "znver3");
  CHECK(zen->features.find("+avx2,") != std::string::npos);
  CHECK(zen->features.find("-avx512f,") != std::string::npos);
  // Another vendor: the level alone.
  CHECK(selectCpuTarget(cpuWith("CentaurHauls", kZen3), "")->cpu == "x86-64-v3");
  CHECK(selectCpuTarget(cpuWith("CentaurHauls", kSkylakeServer), "")->cpu == "x86-64-v4");
}

TEST_CASE("a processor below AVX2 gets the level that it has, down to SSE2", "[cpu]") {
  const CpuInfo nehalem = cpuWith("GenuineIntel", "sse3 ssse3 sse4.1 sse4.2 cx16 sahf popcnt");
  CHECK(selectCpuTarget(nehalem, "")->cpu == "x86-64-v2");
  CHECK(selectCpuTarget(nehalem, "")->features.find("-avx,") != std::string::npos);
  CHECK(selectCpuTarget(cpuWith("AuthenticAMD", "sse3 cx16"), "")->cpu == "x86-64");
  const auto tooNew = selectCpuTarget(nehalem, "x86-64-v3");
  REQUIRE(!tooNew);
  CHECK(tooNew.status().message() ==
        "BURN_CPU: this processor cannot run code for x86-64-v3, it lacks movbe lzcnt bmi bmi2 avx avx2 f16c fma");
}

TEST_CASE("a processor of another architecture is refused", "[cpu]") {
  const auto target = selectCpuTarget(CpuInfo(), "");
  REQUIRE(!target);
  CHECK(target.status().code() == ErrorCode::Unsupported);
}

TEST_CASE("BURN_CPU names a target that the processor can run", "[cpu]") {
  const CpuInfo server = cpuWith("GenuineIntel", kSkylakeServer);
  CHECK(*selectCpuTarget(server, "x86-64-v3") == CpuTarget{"x86-64-v3", ""});
  CHECK(*selectCpuTarget(server, "haswell") == CpuTarget{"haswell", ""});

  const auto tooNew = selectCpuTarget(cpuWith("AuthenticAMD", kZen3), "x86-64-v4");
  REQUIRE(!tooNew);
  CHECK(tooNew.status().message() == "BURN_CPU: this processor cannot run code for x86-64-v4, it lacks avx512f "
                                     "avx512bw avx512cd avx512dq avx512vl");
  const auto unknown = selectCpuTarget(server, "pentium9");
  REQUIRE(!unknown);
  CHECK(unknown.status().code() == ErrorCode::InvalidArgument);
  CHECK(unknown.status().message().find("unknown processor \"pentium9\"") != std::string::npos);
  CHECK(unknown.status().message().find("znver5") != std::string::npos);
}

TEST_CASE("a processor of AArch64 is told by its features, and by the width of its vectors", "[cpu]") {
  CpuInfo graviton =
      cpuWith("AArch64", "fp-armv8 neon aes sha2 crc lse fullfp16 rdm jsconv complxnum rcpc sha3 dotprod sve "
                         "fp16fml flagm i8mm bf16");
  graviton.sveBits = 256;
  const auto target = selectCpuTarget(graviton, "");
  REQUIRE(target);
  CHECK(target->cpu == "generic");
  CHECK(target->features.find("+sve,") != std::string::npos);
  CHECK(target->features.find("+i8mm,+bf16,sve-bits=256") != std::string::npos);
  CHECK(target->features.find("-sve2,") != std::string::npos);
  CHECK(*selectCpuTarget(graviton, "neoverse-v1") == CpuTarget{"neoverse-v1", "sve-bits=256"});
  CHECK(*selectCpuTarget(graviton, "neoverse-n1") == CpuTarget{"neoverse-n1", ""});
  const auto tooNew = selectCpuTarget(graviton, "neoverse-n2");
  REQUIRE(!tooNew);
  CHECK(tooNew.status().message() == "BURN_CPU: this processor cannot run code for neoverse-n2, it lacks sve2 fptoint");
  // Names of the other architecture are none.
  CHECK(!selectCpuTarget(graviton, "x86-64"));
  CHECK(!selectCpuTarget(cpuWith("GenuineIntel", kHaswell), "neoverse-n1"));
  CHECK(*selectCpuTarget(cpuWith("AArch64", "fp-armv8 neon crc"), "cortex-a72") == CpuTarget{"cortex-a72", ""});
}

#if defined(__aarch64__)
TEST_CASE("this processor of AArch64 has what all have", "[cpu]") {
  const CpuInfo cpu = readCpu();
  CHECK(cpu.vendor == "AArch64");
  CHECK(cpu.has("neon"));
  CHECK(cpu.has("fp-armv8"));
  CHECK(cpu.has("sve") == (cpu.sveBits >= 128));
  CHECK(selectCpuTarget(cpu, "generic"));
}
#else
TEST_CASE("the features read by cpuid are those that the kernel reports", "[cpu]") {
  std::ifstream info("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; std::getline(info, line);)
    if (line.rfind("flags", 0) == 0) {
      std::istringstream words(line.substr(line.find(':') + 1));
      for (std::string word; words >> word;)
        flags.insert(word);
      break;
    }
  if (flags.empty())
    return;
  const CpuInfo cpu = readCpu();
  // Names of LLVM and of the Linux kernel.
  const std::pair<const char *, const char *> names[] = {
      {"avx2", "avx2"},
      {"fma", "fma"},
      {"bmi2", "bmi2"},
      {"lzcnt", "abm"},
      {"avx512f", "avx512f"},
      {"avx512vl", "avx512vl"},
      {"avx512bf16", "avx512_bf16"},
      {"avx512fp16", "avx512_fp16"},
      {"avxvnni", "avx_vnni"},
      {"avx512vnni", "avx512_vnni"},
      {"amx-tile", "amx_tile"},
      {"f16c", "f16c"},
      {"sahf", "lahf_lm"},
      {"sse3", "pni"},
      {"rdpid", "rdpid"},
      {"avx512vp2intersect", "avx512_vp2intersect"},
  };
  for (const auto &[ours, kernel] : names) {
    INFO(ours);
    CHECK(cpu.has(ours) == (flags.count(kernel) == 1));
  }
}
#endif

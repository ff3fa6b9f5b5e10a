// Where a processor says what it has: for libburn, which asks the one that it runs on, and for objects that choose
// among several versions of their code.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace burn::core {

/// A register of the answer of cpuid.
enum class CpuidRegister : uint8_t { Eax, Ebx, Ecx, Edx };

/// What the operating system has to save for a feature to be usable.
enum class SavedState : uint8_t { Nothing, Avx, Avx512, Amx };

/// The bits of XCR0 that stand for it.
constexpr uint64_t xcr0Bits(SavedState state) {
  switch (state) {
  case SavedState::Nothing:
    return 0;
  case SavedState::Avx:
    return 0x6;
  case SavedState::Avx512:
    return 0xe6;
  case SavedState::Amx:
    return 0x60006;
  }
  return 0;
}

/// A feature of x86-64, by its name in LLVM, and its place in cpuid.
struct X86Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  CpuidRegister reg;
  uint8_t bit;
  SavedState saved;
};

/// A feature of AArch64, by its name in LLVM, and its bits in the words of getauxval: AT_HWCAP and AT_HWCAP2 of Linux.
struct ArmFeature {
  std::string_view name;
  uint64_t hwcap, hwcap2;
};

/// Those that a code generator may use.
std::span<const X86Feature> x86Features();
std::span<const ArmFeature> armFeatures();

/// In a list of features: the width of SVE's vectors, in bits ("sve-bits=256"), for code that is made for that width
/// alone.
inline constexpr std::string_view kSveBits = "sve-bits=";

} // namespace burn::core

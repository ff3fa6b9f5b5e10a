#include "runtime/Core/Cpu/CpuFeatures.h"

namespace burn::core {

namespace {

constexpr uint32_t kExtended = 0x80000001;

constexpr X86Feature kX86Features[] = {
    {"sse3", 1, 0, CpuidRegister::Ecx, 0, SavedState::Nothing},
    {"pclmul", 1, 0, CpuidRegister::Ecx, 1, SavedState::Nothing},
    {"ssse3", 1, 0, CpuidRegister::Ecx, 9, SavedState::Nothing},
    {"fma", 1, 0, CpuidRegister::Ecx, 12, SavedState::Avx},
    {"cx16", 1, 0, CpuidRegister::Ecx, 13, SavedState::Nothing},
    {"sse4.1", 1, 0, CpuidRegister::Ecx, 19, SavedState::Nothing},
    {"sse4.2", 1, 0, CpuidRegister::Ecx, 20, SavedState::Nothing},
    {"movbe", 1, 0, CpuidRegister::Ecx, 22, SavedState::Nothing},
    {"popcnt", 1, 0, CpuidRegister::Ecx, 23, SavedState::Nothing},
    {"aes", 1, 0, CpuidRegister::Ecx, 25, SavedState::Nothing},
    {"avx", 1, 0, CpuidRegister::Ecx, 28, SavedState::Avx},
    {"f16c", 1, 0, CpuidRegister::Ecx, 29, SavedState::Avx},
    {"bmi", 7, 0, CpuidRegister::Ebx, 3, SavedState::Nothing},
    {"avx2", 7, 0, CpuidRegister::Ebx, 5, SavedState::Avx},
    {"bmi2", 7, 0, CpuidRegister::Ebx, 8, SavedState::Nothing},
    {"avx512f", 7, 0, CpuidRegister::Ebx, 16, SavedState::Avx512},
    {"avx512dq", 7, 0, CpuidRegister::Ebx, 17, SavedState::Avx512},
    {"adx", 7, 0, CpuidRegister::Ebx, 19, SavedState::Nothing},
    {"avx512ifma", 7, 0, CpuidRegister::Ebx, 21, SavedState::Avx512},
    {"clflushopt", 7, 0, CpuidRegister::Ebx, 23, SavedState::Nothing},
    {"clwb", 7, 0, CpuidRegister::Ebx, 24, SavedState::Nothing},
    {"avx512cd", 7, 0, CpuidRegister::Ebx, 28, SavedState::Avx512},
    {"sha", 7, 0, CpuidRegister::Ebx, 29, SavedState::Nothing},
    {"avx512bw", 7, 0, CpuidRegister::Ebx, 30, SavedState::Avx512},
    {"avx512vl", 7, 0, CpuidRegister::Ebx, 31, SavedState::Avx512},
    {"avx512vbmi", 7, 0, CpuidRegister::Ecx, 1, SavedState::Avx512},
    {"avx512vbmi2", 7, 0, CpuidRegister::Ecx, 6, SavedState::Avx512},
    {"gfni", 7, 0, CpuidRegister::Ecx, 8, SavedState::Nothing},
    {"vaes", 7, 0, CpuidRegister::Ecx, 9, SavedState::Avx},
    {"vpclmulqdq", 7, 0, CpuidRegister::Ecx, 10, SavedState::Avx},
    {"avx512vnni", 7, 0, CpuidRegister::Ecx, 11, SavedState::Avx512},
    {"avx512bitalg", 7, 0, CpuidRegister::Ecx, 12, SavedState::Avx512},
    {"avx512vpopcntdq", 7, 0, CpuidRegister::Ecx, 14, SavedState::Avx512},
    {"rdpid", 7, 0, CpuidRegister::Ecx, 22, SavedState::Nothing},
    {"cldemote", 7, 0, CpuidRegister::Ecx, 25, SavedState::Nothing},
    {"movdiri", 7, 0, CpuidRegister::Ecx, 27, SavedState::Nothing},
    {"movdir64b", 7, 0, CpuidRegister::Ecx, 28, SavedState::Nothing},
    {"avx512vp2intersect", 7, 0, CpuidRegister::Edx, 8, SavedState::Avx512},
    {"serialize", 7, 0, CpuidRegister::Edx, 14, SavedState::Nothing},
    {"amx-bf16", 7, 0, CpuidRegister::Edx, 22, SavedState::Amx},
    {"avx512fp16", 7, 0, CpuidRegister::Edx, 23, SavedState::Avx512},
    {"amx-tile", 7, 0, CpuidRegister::Edx, 24, SavedState::Amx},
    {"amx-int8", 7, 0, CpuidRegister::Edx, 25, SavedState::Amx},
    {"avxvnni", 7, 1, CpuidRegister::Eax, 4, SavedState::Avx},
    {"avx512bf16", 7, 1, CpuidRegister::Eax, 5, SavedState::Avx512},
    {"amx-fp16", 7, 1, CpuidRegister::Eax, 21, SavedState::Amx},
    {"avxifma", 7, 1, CpuidRegister::Eax, 23, SavedState::Avx},
    {"avxvnniint8", 7, 1, CpuidRegister::Edx, 4, SavedState::Avx},
    {"avxneconvert", 7, 1, CpuidRegister::Edx, 5, SavedState::Avx},
    {"avxvnniint16", 7, 1, CpuidRegister::Edx, 10, SavedState::Avx},
    {"prefetchi", 7, 1, CpuidRegister::Edx, 14, SavedState::Nothing},
    {"sahf", kExtended, 0, CpuidRegister::Ecx, 0, SavedState::Nothing},
    {"lzcnt", kExtended, 0, CpuidRegister::Ecx, 5, SavedState::Nothing},
    {"sse4a", kExtended, 0, CpuidRegister::Ecx, 6, SavedState::Nothing},
    {"prfchw", kExtended, 0, CpuidRegister::Ecx, 8, SavedState::Nothing},
};

constexpr uint64_t bit(int place) { return uint64_t(1) << place; }

constexpr ArmFeature kArmFeatures[] = {
    {"fp-armv8", bit(0), 0},
    {"neon", bit(1), 0},
    {"aes", bit(3), 0},
    {"sha2", bit(5) | bit(6), 0},
    {"crc", bit(7), 0},
    {"lse", bit(8), 0},
    {"fullfp16", bit(9) | bit(10), 0},
    {"rdm", bit(12), 0},
    {"jsconv", bit(13), 0},
    {"complxnum", bit(14), 0},
    {"rcpc", bit(15), 0},
    {"sha3", bit(17) | bit(21), 0},
    {"dotprod", bit(20), 0},
    {"sve", bit(22), 0},
    {"fp16fml", bit(23), 0},
    {"flagm", bit(27), 0},
    {"sve2", 0, bit(1)},
    {"fptoint", 0, bit(8)},
    {"f32mm", 0, bit(10)},
    {"f64mm", 0, bit(11)},
    {"i8mm", 0, bit(13)},
    {"bf16", 0, bit(14)},
};

} // namespace

std::span<const X86Feature> x86Features() { return kX86Features; }
std::span<const ArmFeature> armFeatures() { return kArmFeatures; }

} // namespace burn::core

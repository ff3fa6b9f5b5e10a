#include "passes/Targets/Cpu/Versions.h"

#include "runtime/Core/Cpu/CpuFeatures.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <array>

namespace burn::compiler {
namespace {

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

// What the processor is asked for: words whose bits a version may want.
constexpr unsigned kWords = 8;
using Words = std::array<uint64_t, kWords>;

// Places of the words of x86-64.
constexpr unsigned kSavedWord = 7;
unsigned cpuidWord(const core::X86Feature &feature) {
  using core::CpuidRegister;
  if (feature.leaf == 1)
    return 0;
  if (feature.leaf != 7)
    return 6;
  if (feature.subleaf == 1)
    return feature.reg == CpuidRegister::Eax ? 4 : 5;
  return feature.reg == CpuidRegister::Ebx ? 1 : feature.reg == CpuidRegister::Ecx ? 2 : 3;
}

// Those of AArch64. The width of SVE's vectors, in bytes, must be that of the version.
constexpr unsigned kHwcapWord = 0, kHwcap2Word = 1, kSveBytesWord = 2;

llvm::Expected<Words> x86Words(const llvm::MCSubtargetInfo &subtarget, llvm::StringRef cpu) {
  Words words{};
  for (const core::X86Feature &feature : core::x86Features()) {
    if (!subtarget.checkFeatures("+" + std::string(feature.name)))
      continue;
    if (feature.saved == core::SavedState::Amx)
      return makeError("code for '" + cpu +
                       "' uses tiles, which need a permission of the system that an object does not "
                       "ask for: add the feature -amx-tile");
    words[cpuidWord(feature)] |= uint64_t(1) << feature.bit;
    words[kSavedWord] |= core::xcr0Bits(feature.saved);
  }
  return words;
}

Words armWords(const llvm::MCSubtargetInfo &subtarget, const CpuTarget &target) {
  Words words{};
  for (const core::ArmFeature &feature : core::armFeatures())
    if (subtarget.checkFeatures("+" + std::string(feature.name))) {
      words[kHwcapWord] |= feature.hwcap;
      words[kHwcap2Word] |= feature.hwcap2;
    }
  words[kSveBytesWord] = sveBits(target, subtarget) / 8;
  return words;
}

// Fills %w0 to %w7. A leaf that the processor does not have may answer anything.
constexpr llvm::StringLiteral kAskX86 = R"(
  %l0 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0, i32 0)
  %l1 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 1, i32 0)
  %l7 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 7, i32 0)
  %l71 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 7, i32 1)
  %e0 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 -2147483648, i32 0)
  %e1 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 -2147483647, i32 0)
  %most = extractvalue { i32, i32, i32, i32 } %l0, 0
  %has7 = icmp uge i32 %most, 7
  %sub = extractvalue { i32, i32, i32, i32 } %l7, 0
  %subs = icmp uge i32 %sub, 1
  %has71 = and i1 %has7, %subs
  %mostExtended = extractvalue { i32, i32, i32, i32 } %e0, 0
  %hasExtended = icmp uge i32 %mostExtended, -2147483647
  %r0 = extractvalue { i32, i32, i32, i32 } %l1, 2
  %a1 = extractvalue { i32, i32, i32, i32 } %l7, 1
  %r1 = select i1 %has7, i32 %a1, i32 0
  %a2 = extractvalue { i32, i32, i32, i32 } %l7, 2
  %r2 = select i1 %has7, i32 %a2, i32 0
  %a3 = extractvalue { i32, i32, i32, i32 } %l7, 3
  %r3 = select i1 %has7, i32 %a3, i32 0
  %a4 = extractvalue { i32, i32, i32, i32 } %l71, 0
  %r4 = select i1 %has71, i32 %a4, i32 0
  %a5 = extractvalue { i32, i32, i32, i32 } %l71, 3
  %r5 = select i1 %has71, i32 %a5, i32 0
  %a6 = extractvalue { i32, i32, i32, i32 } %e1, 2
  %r6 = select i1 %hasExtended, i32 %a6, i32 0
  %osxsave = and i32 %r0, 134217728
  %saves = icmp ne i32 %osxsave, 0
  br i1 %saves, label %saved, label %asked
saved:
  %x = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %low = extractvalue { i32, i32 } %x, 0
  br label %asked
asked:
  %r7 = phi i32 [ 0, %entry ], [ %low, %saved ]
  %w0 = zext i32 %r0 to i64
  %w1 = zext i32 %r1 to i64
  %w2 = zext i32 %r2 to i64
  %w3 = zext i32 %r3 to i64
  %w4 = zext i32 %r4 to i64
  %w5 = zext i32 %r5 to i64
  %w6 = zext i32 %r6 to i64
  %w7 = zext i32 %r7 to i64
)";

// The keys are those of AT_HWCAP and AT_HWCAP2.
constexpr llvm::StringLiteral kAskArm = R"(
  %w0 = call i64 @getauxval(i64 16)
  %w1 = call i64 @getauxval(i64 26)
  %sve = and i64 %w0, 4194304
  %saves = icmp ne i64 %sve, 0
  br i1 %saves, label %saved, label %asked
saved:
  %bytes = call i64 @sve_bytes()
  br label %asked
asked:
  %w2 = phi i64 [ 0, %entry ], [ %bytes, %saved ]
)";

constexpr llvm::StringLiteral kArmFunctions = R"(
declare i64 @getauxval(i64)

define internal i64 @sve_bytes() noinline "target-features"="+sve" {
  %bytes = call i64 asm "rdvl $0, #1", "=r"()
  ret i64 %bytes
}
)";

// For versions that have nothing to prepare.
constexpr llvm::StringLiteral kNothing = R"(
define internal i32 @nothing(ptr %rt, ptr %bufs, ptr %dims, ptr %scalars, ptr %arena) {
  ret i32 0
}
)";

// Whether the C string %text is the one behind %name; strcmp would be one more function to link.
constexpr llvm::StringLiteral kSameText = R"(
define internal i1 @same(ptr %text, ptr %name) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %after, %more ]
  %p = getelementptr i8, ptr %text, i64 %i
  %q = getelementptr i8, ptr %name, i64 %i
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %equal = icmp eq i8 %a, %b
  %after = add i64 %i, 1
  br i1 %equal, label %more, label %done
more:
  %end = icmp eq i8 %a, 0
  br i1 %end, label %done, label %next
done:
  %result = phi i1 [ false, %next ], [ true, %more ]
  ret i1 %result
}

declare extern_weak ptr @getenv(ptr)
)";

} // namespace

unsigned sveBits(const CpuTarget &target, const llvm::MCSubtargetInfo &subtarget) {
  if (!subtarget.getTargetTriple().isAArch64() || !subtarget.checkFeatures("+sve"))
    return 0;
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',', -1, false);
  unsigned bits = 0;
  for (llvm::StringRef feature : features)
    if (feature.consume_front(llvm::StringRef(core::kSveBits)))
      (void)feature.getAsInteger(10, bits);
  if (bits)
    return bits;
  // Processors of one width.
  return target.cpu == "neoverse-v1" ? 256 : target.cpu == "a64fx" ? 512 : 0;
}

llvm::Expected<std::string> chooserSource(llvm::ArrayRef<CodeVersion> versions,
                                          llvm::ArrayRef<const llvm::MCSubtargetInfo *> subtargets,
                                          const llvm::Triple &triple, llvm::StringRef entry,
                                          llvm::StringRef prepareEntry) {
  const bool isX86 = triple.getArch() == llvm::Triple::x86_64;
  if (!isX86 && !(triple.isAArch64() && triple.isOSLinux()))
    return makeError("objects of several versions are made for x86-64 and for AArch64 of Linux, not for '" +
                     triple.str() + "'");
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "@variable = private constant [13 x i8] c\"BURN_AOT_CPU\\00\"\n"
      << "@chosen = internal global ptr null\n";
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string &cpu = versions[i].target.cpu;
    out << "@name" << i << " = private constant [" << cpu.size() + 1 << " x i8] c\"" << cpu << "\\00\"\n"
        << "declare i32 @\"" << versions[i].entry << "\"(ptr, ptr, ptr, ptr, ptr)\n";
    const std::string &prepares = versions[i].prepareEntry;
    if (!prepares.empty())
      out << "declare i32 @\"" << prepares << "\"(ptr, ptr, ptr, ptr, ptr)\n";
    out << "@version" << i << " = private constant [2 x ptr] [ptr @\"" << versions[i].entry << "\", ptr @\""
        << (prepares.empty() ? "nothing" : prepares) << "\"]\n";
  }
  out << kNothing;
  if (!isX86)
    out << kArmFunctions;
  out << kSameText << "\ndefine internal ptr @choose() noinline {\nentry:" << (isX86 ? kAskX86 : kAskArm);
  // Which versions the processor can run.
  for (size_t i = 0; i < versions.size(); ++i) {
    Words words{};
    if (isX86) {
      llvm::Expected<Words> asked = x86Words(*subtargets[i], versions[i].target.cpu);
      if (!asked)
        return asked.takeError();
      words = *asked;
    } else {
      words = armWords(*subtargets[i], versions[i].target);
    }
    std::string fits = "true";
    for (unsigned k = 0; k < kWords; ++k) {
      if (!words[k])
        continue;
      const std::string at = std::to_string(i) + "." + std::to_string(k);
      const bool isExact = !isX86 && k == kSveBytesWord;
      if (!isExact)
        out << "  %m" << at << " = and i64 %w" << k << ", " << words[k] << "\n";
      out << "  %h" << at << " = icmp eq i64 %" << (isExact ? "w" + std::to_string(k) : "m" + at) << ", " << words[k]
          << "\n  %f" << at << " = and i1 " << fits << ", %h" << at << "\n";
      fits = "%f" + at;
    }
    out << "  %fits" << i << " = select i1 true, i1 " << fits << ", i1 false\n";
  }
  out << "  %best0 = select i1 %fits0, ptr @version0, ptr null\n";
  for (size_t i = 1; i < versions.size(); ++i)
    out << "  %best" << i << " = select i1 %fits" << i << ", ptr @version" << i << ", ptr %best" << i - 1 << "\n";
  const size_t last = versions.size() - 1;
  out << "  %hasEnvironment = icmp ne ptr @getenv, null\n"
         "  br i1 %hasEnvironment, label %look, label %best\n"
         "best:\n  ret ptr %best"
      << last
      << "\nlook:\n  %text = call ptr @getenv(ptr @variable)\n  %isSet = icmp ne ptr %text, null\n"
         "  br i1 %isSet, label %test0, label %best\n";
  for (size_t i = 0; i < versions.size(); ++i)
    out << "test" << i << ":\n  %same" << i << " = call i1 @same(ptr %text, ptr @name" << i << ")\n  br i1 %same" << i
        << ", label %named" << i << ", label %test" << i + 1 << "\nnamed" << i << ":\n  %r.named" << i
        << " = select i1 %fits" << i << ", ptr @version" << i << ", ptr null\n  ret ptr %r.named" << i << "\n";
  out << "test" << versions.size() << ":\n  ret ptr null\n}\n\n";
  // Threads that come here at the same time choose the same.
  const llvm::StringRef names[] = {entry, prepareEntry};
  for (size_t i = 0; i < (prepareEntry.empty() ? 1 : 2); ++i)
    out << "define i32 @\"" << names[i] << R"("(ptr %rt, ptr %bufs, ptr %dims, ptr %scalars, ptr %arena) {
  %known = load atomic ptr, ptr @chosen monotonic, align 8
  %isKnown = icmp ne ptr %known, null
  br i1 %isKnown, label %run, label %first
first:
  %made = call ptr @choose()
  store atomic ptr %made, ptr @chosen monotonic, align 8
  %exists = icmp ne ptr %made, null
  br i1 %exists, label %run, label %none
none:
  ret i32 -1
run:
  %version = phi ptr [ %known, %0 ], [ %made, %first ]
  %place = getelementptr ptr, ptr %version, i64 )"
        << i << R"(
  %code = load ptr, ptr %place
  %status = call i32 %code(ptr %rt, ptr %bufs, ptr %dims, ptr %scalars, ptr %arena)
  ret i32 %status
}
)";
  return text;
}

} // namespace burn::compiler

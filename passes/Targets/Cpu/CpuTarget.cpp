#include "passes/Targets/Cpu/CpuTarget.h"

#include "passes/Targets/Cpu/MaskedMemory.h"
#include "passes/Targets/Cpu/SoftFloat.h"
#include "passes/Targets/Cpu/Versions.h"
#include "runtime/Core/Cpu/CpuFeatures.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>
#include <mutex>

namespace burn::compiler {
namespace {

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

/// The registered LLVM target and its checked subtarget.
struct ResolvedTarget {
  const llvm::Target *target;
  llvm::Triple triple;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  /// The target's, without those that are ours.
  std::string features;
  /// Width of the vectors of SVE that code is made for, in bits; 0: none.
  unsigned sveBits = 0;
};

llvm::Expected<ResolvedTarget> resolveTarget(const CpuTarget &target) {
  initializeTargets();
  ResolvedTarget resolved;
  resolved.triple = llvm::Triple(llvm::Triple::normalize(target.triple));
  std::string error;
  resolved.target = llvm::TargetRegistry::lookupTarget(resolved.triple, error);
  if (!resolved.target)
    return makeError("unknown target triple '" + target.triple + "'");

  // An empty name first: constructing a subtarget from a bad one prints.
  std::unique_ptr<llvm::MCSubtargetInfo> generic(resolved.target->createMCSubtargetInfo(resolved.triple, "", ""));
  if (!generic)
    return makeError("target triple '" + target.triple + "' has no code generator");
  if (!target.cpu.empty() && !generic->isCPUStringValid(target.cpu))
    return makeError("unknown CPU '" + target.cpu + "' for target triple '" + target.triple + "'");
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',', -1, false);
  for (llvm::StringRef feature : features) {
    llvm::StringRef name = feature;
    if (name.consume_front(llvm::StringRef(core::kSveBits))) {
      unsigned bits = 0;
      if (name.getAsInteger(10, bits) || bits < 128 || bits > 2048 || !llvm::isPowerOf2_32(bits))
        return makeError("CPU feature '" + feature +
                         "' names no width of vectors; expected a power of 2 from 128 to 2048");
      continue;
    }
    bool known = name.consume_front("+") || name.consume_front("-");
    known = known && llvm::any_of(generic->getAllProcessorFeatures(),
                                  [&](const llvm::SubtargetFeatureKV &entry) { return name == entry.Key; });
    if (!known)
      return makeError("unknown CPU feature '" + feature + "' for target triple '" + target.triple + "'");
    resolved.features += (resolved.features.empty() ? "" : ",") + feature.str();
  }
  resolved.subtarget.reset(resolved.target->createMCSubtargetInfo(resolved.triple, target.cpu, resolved.features));
  resolved.sveBits = sveBits(target, *resolved.subtarget);
  if (!resolved.sveBits && llvm::StringRef(target.features).contains(llvm::StringRef(core::kSveBits)))
    return makeError("CPU '" + target.cpu + "' of '" + target.triple + "' has no vectors of SVE to set the width of");
  // LLVM ends the process when asked for 64-bit code on such a CPU.
  if (resolved.triple.getArch() == llvm::Triple::x86_64 && !resolved.subtarget->checkFeatures("+64bit"))
    return makeError("CPU '" + target.cpu + "' cannot run 64-bit code of '" + target.triple + "'");
  return std::move(resolved);
}

CpuTargetInfo describe(const ResolvedTarget &resolved) {
  CpuTargetInfo info;
  const llvm::MCSubtargetInfo &subtarget = *resolved.subtarget;
  if (resolved.triple.isAArch64()) {
    info.vectorRegisters = 32;
    info.hasFma = info.hasHalfConversions = true;
    // Vectors of the width of SVE's registers are SVE's; up to 512 bits the generators know what to do with.
    info.vectorBytes = std::clamp(resolved.sveBits / 8, 16u, 64u);
  }
  if (!resolved.triple.isX86())
    return info;
  if (subtarget.checkFeatures("+avx"))
    info.vectorBytes = 32;
  info.hasFma = subtarget.checkFeatures("+fma");
  info.hasHalfConversions = subtarget.checkFeatures("+f16c");
  if (subtarget.checkFeatures("+avx512f,+avx512vl,+avx512bw,+avx512dq")) {
    info.vectorBytes = 64;
    info.vectorRegisters = 32;
    info.hasMaskRegisters = true;
  }
  info.hasPairProducts = info.vectorBytes != 32 || subtarget.checkFeatures("+avx2");
  info.hasDotProducts = subtarget.checkFeatures(info.hasMaskRegisters ? "+avx512vnni" : "+avxvnni");
  info.hasBFloat16DotProducts = info.hasMaskRegisters && subtarget.checkFeatures("+avx512bf16");
  // Panels are packed and sums finished with vectors of 16 lanes.
  if (info.hasMaskRegisters && resolved.triple.isArch64Bit() && subtarget.checkFeatures("+amx-tile")) {
    info.hasInt8Tiles = subtarget.checkFeatures("+amx-int8");
    info.hasBFloat16Tiles = subtarget.checkFeatures("+amx-bf16");
  }
  return info;
}

/// Instructions that are worth a thread of their own, and the most threads.
constexpr uint64_t kPartInstructions = 3000;
constexpr unsigned kMostParts = 4;

/// The passes that kernels of our own loops profit from; the vectorised loop
/// nest is already in its final shape, so the O3 pipeline would only add
/// compile time.
constexpr llvm::StringLiteral kernelPasses = "function(early-cse,instcombine<max-iterations=1;no-verify-fixpoint>,"
                                             "loop-mssa(licm),simplifycfg)";

// Freezes the divisors of integer divisions of vectors. Payloads put 1 in the place of a divisor that would trap, by a
// choice; where the result is chosen by the same condition, instruction selection takes the first choice out and
// divides by 0 (LLVM 22.1, AVX-512). It does not look through a freeze.
void keepDivisors(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (!division || !division->isIntDivRem() || !division->getType()->isVectorTy())
        continue;
      llvm::Value *divisor = division->getOperand(1);
      if (!llvm::isa<llvm::Constant>(divisor))
        division->setOperand(1, new llvm::FreezeInst(divisor, "", division->getIterator()));
    }
}

llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  keepDivisors(module);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, kernelPasses))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

using Bytes = llvm::SmallVector<char, 0>;

std::unique_ptr<llvm::TargetMachine> makeMachine(const ResolvedTarget &resolved, const CpuTarget &target) {
  llvm::TargetOptions options;
  // The default would contract fmul + fadd marked so, and one rounding less
  // than the op-by-op meaning is a wrong result here.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      resolved.target->createTargetMachine(resolved.triple, target.cpu, resolved.features, options, llvm::Reloc::PIC_,
                                           std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// Collects error diagnostics: without a handler LLVM exits the process on one.
void collectDiagnostics(llvm::LLVMContext &context, std::string &text) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *diagnostic, void *text) {
        if (diagnostic->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream os(*static_cast<std::string *>(text));
        llvm::DiagnosticPrinterRawOStream printer(os);
        diagnostic->print(printer);
        os << '\n';
      },
      &text);
}

llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                        const ResolvedTarget &resolved, const CpuTarget &target,
                                                        llvm::StringRef name) {
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(resolved, target);
  if (!machine)
    return makeError("target triple '" + target.triple + "' has no code generator");
  std::unique_ptr<llvm::Module> llvmModule = mlir::translateModuleToLLVMIR(module, context, name);
  if (!llvmModule)
    return makeError("translation to LLVM IR failed");
  // Layout and triple before any pass: without them memory loops turn into
  // calls that the code generator expands byte by byte.
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setTargetTriple(resolved.triple);
  const CpuTargetInfo info = describe(resolved);
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!resolved.features.empty())
      function.addFnAttr("target-features", resolved.features);
    // Vectors of fixed length go to SVE only where its registers are known to hold them.
    if (resolved.sveBits >= 256)
      function.addFnAttr(
          llvm::Attribute::getWithVScaleRangeArgs(context, resolved.sveBits / 128, resolved.sveBits / 128));
    // Many AVX-512 models are tuned for 256-bit vectors; ours are sized on
    // purpose and must not be split.
    if (info.vectorBytes == 64)
      function.addFnAttr("prefer-vector-width", "512");
  }
  return std::move(llvmModule);
}

/// Takes a module to what instruction selection wants of it.
llvm::Error prepare(llvm::Module &module, const ResolvedTarget &resolved, llvm::TargetMachine &machine) {
  const CpuTargetInfo info = describe(resolved);
  if (!info.hasHalfConversions)
    expandHalfConversions(module);
  if (!info.hasFma)
    expandFusedMultiplyAdds(module);
  if (llvm::Error error = optimize(module, machine))
    return error;
  if (info.hasMaskRegisters)
    holdMaskedLoads(module);
  else
    splitMaskedLoads(module, info.vectorBytes);
  splitSingleLaneStores(module);
  return llvm::Error::success();
}

/// Generates the code of a prepared module.
llvm::Expected<Bytes> select(llvm::Module &module, const CpuTarget &target, llvm::TargetMachine &machine,
                             bool assembly) {
  Bytes bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, nullptr,
                                  assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile))
    return makeError("target triple '" + target.triple + "' cannot emit this kind of file");
  codegen.run(module);
  return std::move(bytes);
}

/// Optimizes a module and generates its code.
llvm::Expected<Bytes> generate(llvm::Module &module, const ResolvedTarget &resolved, const CpuTarget &target,
                               bool assembly) {
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(resolved, target);
  if (llvm::Error error = prepare(module, resolved, *machine))
    return std::move(error);
  return select(module, target, *machine, assembly);
}

/// Distributes the definitions of a module over `count` modules of about the
/// same size, as bitcode: each part gets a context of its own.
std::vector<Bytes> splitModule(llvm::Module &module, unsigned count) {
  // What one part defines the others must find.
  auto publish = [](llvm::GlobalValue &value) {
    if (value.isDeclaration() || !value.hasLocalLinkage())
      return;
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    value.setVisibility(llvm::GlobalValue::HiddenVisibility);
  };
  std::vector<std::pair<unsigned, const llvm::Function *>> functions;
  for (llvm::Function &function : module) {
    publish(function);
    if (!function.isDeclaration())
      functions.push_back({function.getInstructionCount(), &function});
  }
  for (llvm::GlobalVariable &variable : module.globals())
    publish(variable);
  // The largest first, each to the part that is smallest so far.
  llvm::sort(functions, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second->getName() < b.second->getName();
  });
  llvm::DenseMap<const llvm::GlobalValue *, unsigned> partOf;
  std::vector<uint64_t> sizes(count);
  for (auto [size, function] : functions) {
    const unsigned part = std::min_element(sizes.begin(), sizes.end()) - sizes.begin();
    partOf[function] = part;
    sizes[part] += size;
  }
  std::vector<Bytes> parts(count);
  for (unsigned part = 0; part != count; ++part) {
    llvm::ValueToValueMapTy mapping;
    auto clone = llvm::CloneModule(module, mapping,
                                   [&](const llvm::GlobalValue *value) { return partOf.lookup(value) == part; });
    llvm::raw_svector_ostream stream(parts[part]);
    llvm::WriteBitcodeToFile(*clone, stream);
  }
  return parts;
}

/// The code of one part, in a context of its own.
struct PartResult {
  Bytes bytes;
  std::string error;
};

void generatePart(const Bytes &bitcode, const CpuTarget &target, PartResult &result) {
  llvm::Expected<ResolvedTarget> resolved = resolveTarget(target);
  llvm::LLVMContext context;
  std::string diagnostics;
  collectDiagnostics(context, diagnostics);
  auto finish = [&](llvm::Error error) { result.error = llvm::toString(std::move(error)); };
  if (!resolved)
    return finish(resolved.takeError());
  auto module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "part"), context);
  if (!module)
    return finish(module.takeError());
  llvm::Expected<Bytes> bytes = generate(**module, *resolved, target, /*assembly=*/false);
  if (!bytes)
    return finish(bytes.takeError());
  result.bytes = std::move(*bytes);
  result.error = llvm::StringRef(diagnostics).rtrim();
}

} // namespace

llvm::Expected<CpuTargetInfo> describeTarget(const CpuTarget &target) {
  llvm::Expected<ResolvedTarget> resolved = resolveTarget(target);
  if (!resolved)
    return resolved.takeError();
  return describe(*resolved);
}

llvm::Expected<llvm::SmallVector<char, 0>> emitObject(mlir::ModuleOp module, const CpuTarget &target,
                                                      const EmitOptions &options) {
  llvm::Expected<ResolvedTarget> resolved = resolveTarget(target);
  if (!resolved)
    return resolved.takeError();
  llvm::LLVMContext context;
  std::string diagnostics;
  collectDiagnostics(context, diagnostics);
  auto llvmModule = translate(module, context, *resolved, target, options.moduleName);
  if (!llvmModule)
    return llvmModule.takeError();
  llvm::Expected<Bytes> bytes = generate(**llvmModule, *resolved, target, options.assembly);
  if (bytes && !diagnostics.empty())
    return makeError("code generation failed: " + llvm::StringRef(diagnostics).rtrim());
  return bytes;
}

llvm::Expected<std::vector<llvm::SmallVector<char, 0>>> emitObjects(mlir::ModuleOp module, const CpuTarget &target,
                                                                    const EmitOptions &options) {
  llvm::Expected<ResolvedTarget> resolved = resolveTarget(target);
  if (!resolved)
    return resolved.takeError();
  std::vector<Bytes> parts;
  {
    llvm::LLVMContext context;
    std::string diagnostics;
    collectDiagnostics(context, diagnostics);
    auto llvmModule = translate(module, context, *resolved, target, options.moduleName);
    if (!llvmModule)
      return llvmModule.takeError();
    // Parts follow from the module alone, so the code does not depend on the machine that compiles it.
    uint64_t size = 0;
    for (llvm::Function &function : **llvmModule)
      size += function.getInstructionCount();
    const unsigned count = std::clamp<uint64_t>(size / kPartInstructions, 1, kMostParts);
    if (count == 1) {
      llvm::Expected<Bytes> bytes = generate(**llvmModule, *resolved, target, /*assembly=*/false);
      if (!bytes)
        return bytes.takeError();
      if (!diagnostics.empty())
        return makeError("code generation failed: " + llvm::StringRef(diagnostics).rtrim());
      parts.push_back(std::move(*bytes));
      return std::move(parts);
    }
    parts = splitModule(**llvmModule, count);
  }
  std::vector<PartResult> results(parts.size());
  std::vector<llvm::thread> threads;
  for (size_t i = 1; i < parts.size(); ++i)
    threads.emplace_back([&, i] { generatePart(parts[i], target, results[i]); });
  generatePart(parts[0], target, results[0]);
  for (llvm::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i != parts.size(); ++i) {
    if (!results[i].error.empty())
      return makeError("code generation failed: " + results[i].error);
    parts[i] = std::move(results[i].bytes);
  }
  return std::move(parts);
}

llvm::Expected<llvm::SmallVector<char, 0>> emitVersions(llvm::ArrayRef<CodeVersion> versions, llvm::StringRef entry,
                                                        llvm::StringRef prepareEntry, const EmitOptions &options) {
  // What asks the processor is assembly.
  static std::once_flag parsers;
  std::call_once(parsers, [] { llvm::InitializeAllAsmParsers(); });
  llvm::LLVMContext context;
  std::string diagnostics;
  collectDiagnostics(context, diagnostics);
  std::vector<ResolvedTarget> targets;
  std::vector<const llvm::MCSubtargetInfo *> subtargets;
  for (const CodeVersion &version : versions) {
    llvm::Expected<ResolvedTarget> resolved = resolveTarget(version.target);
    if (!resolved)
      return resolved.takeError();
    targets.push_back(std::move(*resolved));
    subtargets.push_back(targets.back().subtarget.get());
  }
  llvm::Expected<std::string> source = chooserSource(versions, subtargets, targets[0].triple, entry, prepareEntry);
  if (!source)
    return source.takeError();
  // The code around the versions is for the least processor of the architecture.
  const CpuTarget least{versions[0].target.triple, targets[0].triple.isX86() ? "x86-64" : "generic", ""};
  llvm::Expected<ResolvedTarget> plain = resolveTarget(least);
  if (!plain)
    return plain.takeError();
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(*plain, least);
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(*source, problem, context);
  if (!module)
    return makeError("the code that chooses a version is malformed: " + problem.getMessage());
  module->setModuleIdentifier(options.moduleName);
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(plain->triple);
  for (auto [version, resolved] : llvm::zip_equal(versions, targets)) {
    auto part = translate(version.module, context, resolved, version.target, options.moduleName);
    if (!part)
      return part.takeError();
    // Each with the passes of its own processor, before it meets the others.
    if (llvm::Error error = prepare(**part, resolved, *makeMachine(resolved, version.target)))
      return std::move(error);
    if (llvm::Linker::linkModules(*module, std::move(*part)))
      return makeError("the versions for '" + version.target.cpu + "' and for others do not go together");
    for (llvm::StringRef name : {llvm::StringRef(version.entry), llvm::StringRef(version.prepareEntry)})
      if (llvm::Function *function = module->getFunction(name))
        function->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  llvm::ModuleAnalysisManager analyses;
  llvm::ConstantMergePass().run(*module, analyses);
  if (llvm::verifyModule(*module))
    return makeError("the versions make a malformed module");
  llvm::Expected<Bytes> bytes = select(*module, least, *machine, options.assembly);
  if (bytes && !diagnostics.empty())
    return makeError("code generation failed: " + llvm::StringRef(diagnostics).rtrim());
  return bytes;
}

} // namespace burn::compiler

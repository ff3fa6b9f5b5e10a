#include "passes/Targets/Cpu/CpuTarget.h"

#include "passes/Targets/Cpu/MaskedMemory.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

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
    bool known = name.consume_front("+") || name.consume_front("-");
    known = known && llvm::any_of(generic->getAllProcessorFeatures(),
                                  [&](const llvm::SubtargetFeatureKV &entry) { return name == entry.Key; });
    if (!known)
      return makeError("unknown CPU feature '" + feature + "' for target triple '" + target.triple + "'");
  }
  resolved.subtarget.reset(resolved.target->createMCSubtargetInfo(resolved.triple, target.cpu, target.features));
  // LLVM ends the process when asked for 64-bit code on such a CPU.
  if (resolved.triple.getArch() == llvm::Triple::x86_64 && !resolved.subtarget->checkFeatures("+64bit"))
    return makeError("CPU '" + target.cpu + "' cannot run 64-bit code of '" + target.triple + "'");
  return std::move(resolved);
}

CpuTargetInfo describe(const ResolvedTarget &resolved) {
  CpuTargetInfo info;
  const llvm::MCSubtargetInfo &subtarget = *resolved.subtarget;
  if (!resolved.triple.isX86())
    return info;
  if (subtarget.checkFeatures("+avx"))
    info.vectorBytes = 32;
  info.hasFma = subtarget.checkFeatures("+fma");
  if (subtarget.checkFeatures("+avx512f,+avx512vl,+avx512bw,+avx512dq")) {
    info.vectorBytes = 64;
    info.vectorRegisters = 32;
    info.hasMaskRegisters = true;
  }
  return info;
}

/// The passes that kernels of our own loops profit from; the vectorised loop
/// nest is already in its final shape, so the O3 pipeline would only add
/// compile time.
constexpr llvm::StringLiteral kernelPasses = "function(early-cse,instcombine<max-iterations=1;no-verify-fixpoint>,"
                                             "loop-mssa(licm),simplifycfg)";

llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine) {
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
  CpuTargetInfo info = describe(*resolved);

  llvm::TargetOptions targetOptions;
  // The default would contract fmul + fadd marked so, and one rounding less
  // than the op-by-op meaning is a wrong result here.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      resolved->target->createTargetMachine(resolved->triple, target.cpu, target.features, targetOptions,
                                            llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return makeError("target triple '" + target.triple + "' has no code generator");

  llvm::LLVMContext context;
  // Without a handler LLVM exits the process on an error diagnostic.
  std::string diagnostics;
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *diagnostic, void *text) {
        if (diagnostic->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream os(*static_cast<std::string *>(text));
        llvm::DiagnosticPrinterRawOStream printer(os);
        diagnostic->print(printer);
        os << '\n';
      },
      &diagnostics);

  std::unique_ptr<llvm::Module> llvmModule = mlir::translateModuleToLLVMIR(module, context, options.moduleName);
  if (!llvmModule)
    return makeError("translation to LLVM IR failed");
  // Layout and triple before any pass: without them memory loops turn into
  // calls that the code generator expands byte by byte.
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setTargetTriple(resolved->triple);
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    // Many AVX-512 models are tuned for 256-bit vectors; ours are sized on
    // purpose and must not be split.
    if (info.vectorBytes == 64)
      function.addFnAttr("prefer-vector-width", "512");
  }
  if (llvm::Error error = optimize(*llvmModule, *machine))
    return error;
  if (!info.hasMaskRegisters)
    splitMaskedLoads(*llvmModule, info.vectorBytes);
  splitSingleLaneStores(*llvmModule);

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   options.assembly ? llvm::CodeGenFileType::AssemblyFile
                                                    : llvm::CodeGenFileType::ObjectFile))
    return makeError("target triple '" + target.triple + "' cannot emit this kind of file");
  codegen.run(*llvmModule);
  if (!diagnostics.empty())
    return makeError("code generation failed: " + llvm::StringRef(diagnostics).rtrim());
  return std::move(bytes);
}

} // namespace burn::compiler

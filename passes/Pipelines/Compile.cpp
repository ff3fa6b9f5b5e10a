#include "passes/Pipelines/Compile.h"

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "passes/Graph/Import.h"
#include "passes/Lowering/LaunchPlan.h"
#include "passes/Pipelines/NestingLimits.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/Targets/Cpu/LinkSharedObject.h"
#include "passes/Targets/Cpu/LowerToLLVM.h"
#include "passes/Targets/Cpu/Versions.h"
#include "passes/Targets/Gpu/GpuExecutable.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using core::ErrorCode;
using core::Status;

//===-- Diagnostics ---------------------------------------------------------------------------===//

DiagnosticCollector::DiagnosticCollector(MLIRContext &context) : context_(context) {
  handler_ = context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    // What was recorded has no file: ids of its ops lead to the lines of its user, so the text is one line without any.
    std::vector<uint32_t> ids;
    collectLocationIds(diagnostic.getLocation(), ids);
    if (!ids.empty() && !sourceLine(diagnostic.getLocation())) {
      text_ += (text_.empty() ? "" : "\n") + diagnostic.str();
      locations_.insert(locations_.end(), ids.begin(), ids.end());
      for (Diagnostic &note : diagnostic.getNotes())
        collectLocationIds(note.getLocation(), locations_);
      return success();
    }
    const auto append = [&](Diagnostic &one) {
      if (FileLineColLoc file = sourceLine(one.getLocation()))
        text_ +=
            (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn()) + ": ").str();
      switch (one.getSeverity()) {
      case DiagnosticSeverity::Error:
        text_ += "error: ";
        break;
      case DiagnosticSeverity::Warning:
        text_ += "warning: ";
        break;
      default:
        text_ += "note: ";
      }
      text_ += one.str() + "\n";
    };
    append(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      append(note);
    return success();
  });
}

DiagnosticCollector::~DiagnosticCollector() { context_.getDiagEngine().eraseHandler(handler_); }

Status DiagnosticCollector::status(ErrorCode code, StringRef fallback) const {
  return Status::error(code, text_.empty() ? fallback.str() : StringRef(text_).rtrim().str(), locations_);
}

//===-- Input ---------------------------------------------------------------------------------===//

std::unique_ptr<MLIRContext> compiler::makeContext() {
  auto context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  // A diagnostic names its op and its place; the op itself may be pages long.
  context->printOpOnDiagnostic(false);
  DialectRegistry registry;
  registerCpuCodegenDialects(registry);
  registry.insert<ir::BurnDialect, gpu::GPUDialect, spirv::SPIRVDialect>();
  context->appendDialectRegistry(registry);
  context->loadDialect<ir::BurnDialect, func::FuncDialect>();
  return context;
}

core::Expected<OwningOpRef<ModuleOp>> compiler::parseProgram(MLIRContext &context, StringRef source, StringRef filename,
                                                             StringRef entry) {
  DiagnosticCollector diagnostics(context);
  if (!source.starts_with("ML\xefR"))
    if (const std::string exceeded = exceededNesting(source); !exceeded.empty())
      return Status::error(ErrorCode::InvalidArgument, filename.str() + ": " + exceeded);
  llvm::SourceMgr sources;
  // The parser wants a final NUL behind the text.
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source, filename), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return diagnostics.status(ErrorCode::InvalidArgument, "cannot parse " + filename.str());
  SmallVector<func::FuncOp> functions(module->getOps<func::FuncOp>());
  func::FuncOp chosen;
  for (func::FuncOp function : functions)
    if (function.getName() == (entry.empty() ? "main" : entry))
      chosen = function;
  if (!chosen && entry.empty() && functions.size() == 1)
    chosen = functions.front();
  if (!chosen) {
    std::string names;
    for (func::FuncOp function : functions)
      names += (names.empty() ? "" : ", ") + function.getName().str();
    return Status::error(ErrorCode::NotFound, filename.str() + ": no function '" +
                                                  (entry.empty() ? "main" : entry.str()) + "'; there are: " + names);
  }
  if (chosen.isExternal())
    return Status::error(ErrorCode::InvalidArgument,
                         filename.str() + ": function '" + chosen.getName().str() + "' has no body");
  for (Type type : llvm::concat<const Type>(chosen.getArgumentTypes(), chosen.getResultTypes()))
    if (!ir::toTypeDesc(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return Status::error(ErrorCode::InvalidArgument,
                           filename.str() + ": function '" + chosen.getName().str() +
                               "' has an argument or result of type " + text +
                               "; expected tensors of static shape, rank 8 at most and less than 2^60 elements");
    }
  // What it calls, directly or through others.
  llvm::SetVector<func::FuncOp> reached;
  reached.insert(chosen);
  for (size_t i = 0; i < reached.size(); ++i) {
    func::FuncOp function = reached[i];
    function.walk([&](ir::CallOp call) {
      if (auto callee = module->lookupSymbol<func::FuncOp>(call.getCallee()))
        reached.insert(callee);
    });
  }
  Status status = Status::ok();
  const auto check = [&](Operation *op) {
    if (status.isOk() && !ir::opInfo(op) && !isa<func::FuncOp, func::ReturnOp>(op)) {
      op->emitOpError("is not supported in a program; expected burn ops only");
      status = diagnostics.status(ErrorCode::InvalidArgument, "unsupported op");
    }
    auto constant = dyn_cast<ir::ConstantOp>(op);
    if (!constant || isa<DenseElementsAttr>(constant.getValue()) || !status)
      return;
    // Data kept beside the text are taken in.
    core::Expected<ir::HostTensor> value = ir::toHostTensor(constant.getValue());
    if (value) {
      constant.setValueAttr(ir::toElementsAttr(&context, *value));
    } else {
      op->emitOpError(value.status().message());
      status = diagnostics.status(value.status().code(), "constant without data");
    }
  };
  for (func::FuncOp function : reached)
    function.walk(check);
  for (unsigned i = 0; i < chosen.getNumArguments() && status; ++i) {
    if (chosen.getArgAttr(i, kFrozenAttr) && (chosen.getArgAttr(i, kDonatedAttr) || chosen.getArgAttr(i, kScalarAttr)))
      status = Status::error(ErrorCode::InvalidArgument,
                             filename.str() + ": argument " + std::to_string(i) + " of function '" +
                                 chosen.getName().str() + "' is frozen, and can be neither donated nor a host scalar");
    chosen.removeArgAttr(i, kDerivedAttr); // what the compiler itself adds
    if (!chosen.getArgAttr(i, kScalarAttr))
      continue;
    const bool isScalar = cast<RankedTensorType>(chosen.getArgumentTypes()[i]).getRank() == 0;
    if (!isScalar || chosen.getArgAttr(i, kDonatedAttr))
      status = Status::error(
          ErrorCode::InvalidArgument,
          filename.str() + ": argument " + std::to_string(i) + " of function '" + chosen.getName().str() + "' is " +
              (isScalar ? "a host scalar, which cannot be donated" : "marked as a host scalar, but has dimensions"));
  }
  if (!status)
    return status;
  for (Operation &op : llvm::make_early_inc_range(*module->getBody()))
    if (auto function = dyn_cast<func::FuncOp>(op); !function || !reached.contains(function))
      op.erase();
  for (func::FuncOp function : reached)
    if (function != chosen)
      function.setPrivate();
  if (chosen.getName() != "main") {
    // Another function may bear the name.
    SymbolTable symbols(*module);
    if (auto other = symbols.lookup("main"); other && failed(symbols.renameToUnique(other, {})))
      return Status::error(ErrorCode::InvalidArgument, filename.str() + ": cannot rename function 'main'");
    if (failed(symbols.rename(chosen, "main")))
      return Status::error(ErrorCode::InvalidArgument,
                           filename.str() + ": cannot rename function '" + chosen.getName().str() + "'");
  }
  // Callers of the interpreter and of the stages take the first function.
  chosen->moveBefore(module->getBody(), module->getBody()->begin());
  // Ops get their ordinal as location id, as those of a graph: what a plan from the cache says of a check leads to a
  // line of whatever file holds the program now.
  uint32_t id = 0;
  module->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { op->setLoc(FusedLoc::get(&context, {op->getLoc(), graphLocation(context, id++)})); });
  return module;
}

std::string compiler::placeOf(ModuleOp program, uint32_t id) {
  std::string place;
  program->walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::vector<uint32_t> ids;
    collectLocationIds(op->getLoc(), ids);
    if (!llvm::is_contained(ids, id))
      return WalkResult::advance();
    if (FileLineColLoc file = sourceLine(op->getLoc()))
      place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
    return WalkResult::interrupt();
  });
  return place;
}

core::Expected<std::string> compiler::canonicalBytecode(ModuleOp module) {
  const Status failed = Status::error(ErrorCode::Internal, "the program cannot be written as bytecode");
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager pm(copy->getContext());
  pm.addPass(createStripDebugInfoPass());
  if (mlir::failed(pm.run(*copy)))
    return failed;
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  BytecodeWriterConfig config("burn");
  if (mlir::failed(writeBytecodeToFile(*copy, stream, config)))
    return failed;
  return bytes;
}

//===-- Stages --------------------------------------------------------------------------------===//

namespace {

struct StageDef {
  StringLiteral name;
  void (*build)(OpPassManager &, const CompileOptions &);
};

constexpr StageDef kStages[] = {
    {"differentiated", [](OpPassManager &pm, const CompileOptions &) { buildDifferentiatePipeline(pm); }},
    {"simplified", [](OpPassManager &pm, const CompileOptions &) { buildSimplifyPipeline(pm); }},
    {"decomposed", [](OpPassManager &pm, const CompileOptions &) { buildCpuDecomposePipeline(pm); }},
    {"fused", [](OpPassManager &pm, const CompileOptions &options) { buildFusePipeline(pm, options.fusion); }},
    {"tiled",
     [](OpPassManager &pm, const CompileOptions &options) {
       buildTilePipeline(pm, options.target, {options.deterministic, options.fastMath, options.manyThreads},
                         options.tuning);
     }},
    {"planned", [](OpPassManager &pm, const CompileOptions &) { buildPlanPipeline(pm); }},
    {"kernels", [](OpPassManager &pm, const CompileOptions &options) { buildKernelPipeline(pm, options.target); }},
    {"code",
     [](OpPassManager &pm, const CompileOptions &options) {
       buildCodePipeline(pm, options.entry, options.debugInfo, options.prepareEntry);
     }},
};

constexpr StageDef kGpuStages[] = {
    kStages[0],
    kStages[1],
    {"decomposed", [](OpPassManager &pm, const CompileOptions &) { buildDecomposePipeline(pm); }},
    {"fused", [](OpPassManager &pm,
                 const CompileOptions &options) { buildGpuFusePipeline(pm, options.fusion, options.gpu->str()); }},
    {"planned", [](OpPassManager &pm, const CompileOptions &) { buildGpuPlanPipeline(pm); }},
    {"kernels",
     [](OpPassManager &pm, const CompileOptions &options) { buildGpuKernelPipeline(pm, options.gpu->str()); }},
    {"code", [](OpPassManager &pm, const CompileOptions &options) { buildGpuCodePipeline(pm, options.gpu->str()); }},
};

ArrayRef<StageDef> stagesOf(const CompileOptions &options) {
  return options.gpu ? ArrayRef<StageDef>(kGpuStages) : ArrayRef<StageDef>(kStages);
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

Status writeFile(const Twine &path, StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.str(), error);
  if (!error) {
    file << contents;
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return Status::error(ErrorCode::Io, "cannot write " + path.str() + ": " + error.message());
  return Status::ok();
}

// How long each stage took, without what was written in between.
class StageClock {
public:
  void restart() { start_ = std::chrono::steady_clock::now(); }
  void record(StringRef stage) {
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start_;
    llvm::raw_string_ostream(text_) << stage << " " << llvm::format("%.3f", taken.count()) << " ms\n";
    restart();
  }
  StringRef text() const { return text_; }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string text_;
};

Status dumpStage(ModuleOp module, const CompileOptions &options, size_t number, StringRef stage) {
  if (!options.dumpIr || options.dumpDir.empty())
    return Status::ok();
  return writeFile(options.dumpDir + "/" + options.name + "." + Twine(number) + "-" + stage + ".mlir",
                   print(module) + "\n");
}

// Runs one stage. The plan is read off when memory is planned: later stages take the function apart.
Status runStage(const StageDef &stage, ModuleOp module, const CompileOptions &options) {
  DiagnosticCollector diagnostics(*module.getContext());
  PassManager pm(module.getContext());
#ifdef NDEBUG
  // Kernels are large, and what writes them is tested with the verifier on: checking them again after
  // every pass would cost a third of the time.
  pm.enableVerifier(stage.name != "kernels" && stage.name != "code");
#endif
  stage.build(pm, options);
  if (failed(pm.run(module)))
    return diagnostics.status(ErrorCode::Unsupported, ("the compilation failed in stage " + stage.name).str());
  return Status::ok();
}

Status fromError(llvm::Error error, ErrorCode code) { return Status::error(code, llvm::toString(std::move(error))); }

// Runs all stages, and reads off what the plan of the program is.
core::Expected<core::Plan> lower(ModuleOp module, const CompileOptions &options, StageClock &clock) {
  if (llvm::Expected<CpuTargetInfo> info = describeTarget(options.target); !info)
    return fromError(info.takeError(), ErrorCode::InvalidArgument);
  if (Status status = dumpStage(module, options, 0, "imported"); !status)
    return status;
  core::Plan plan;
  bool left = options.fused;
  for (auto [i, stage] : llvm::enumerate(stagesOf(options))) {
    if (left) {
      left = stage.name != "fused";
      continue;
    }
    clock.restart();
    if (Status status = runStage(stage, module, options); !status)
      return status;
    clock.record(stage.name);
    if (options.afterStage)
      options.afterStage(stage.name, module);
    if (Status status = dumpStage(module, options, i + 1, stage.name); !status)
      return status;
    if (stage.name == "planned")
      plan = makePlan(*module.getOps<func::FuncOp>().begin());
    if (stage.name == "kernels") {
      plan.arenaBytes = module->getAttrOfType<IntegerAttr>(kArenaAttr).getInt();
      if (auto bytes = module->getAttrOfType<IntegerAttr>(kPrepareArenaAttr))
        plan.prepareArenaBytes = bytes.getInt();
      for (Attribute check : module->getAttrOfType<ArrayAttr>(kChecksAttr)) {
        auto entry = cast<DictionaryAttr>(check);
        plan.checks.push_back(
            {static_cast<uint32_t>(entry.getAs<IntegerAttr>("op").getInt()), entry.getAs<StringAttr>("message").str()});
      }
    }
  }
  return plan;
}

} // namespace

Status compiler::makePrimitive(ModuleOp module) {
  for (const StageDef &stage : kStages) {
    if (Status status = runStage(stage, module, CompileOptions()); !status)
      return status;
    if (stage.name == "decomposed")
      break;
  }
  return Status::ok();
}

Status compiler::dumpText(const CompileOptions &options, StringRef suffix, StringRef text) {
  if (!options.dumpIr || options.dumpDir.empty() || text.empty())
    return Status::ok();
  return writeFile(options.dumpDir + "/" + options.name + "." + suffix, text);
}

Status compiler::expandGradients(ModuleOp module) { return runStage(kStages[0], module, CompileOptions()); }

core::Expected<std::string> compiler::printStage(ModuleOp module, const CompileOptions &options, StringRef stage) {
  const bool known = stage.empty() || stage == "imported" ||
                     llvm::any_of(stagesOf(options), [&](const StageDef &def) { return def.name == stage; });
  if (!known) {
    std::string names = "imported";
    for (const StageDef &def : stagesOf(options))
      names += ", " + def.name.str();
    return Status::invalid("unknown stage '" + stage.str() + "'; stages are " + names);
  }
  if (!stage.empty() && stage != "imported")
    for (const StageDef &def : stagesOf(options)) {
      if (Status status = runStage(def, module, options); !status)
        return status;
      if (def.name == stage)
        break;
    }
  return print(module) + "\n";
}

core::Expected<Executable> compiler::compile(ModuleOp module, const CompileOptions &options) {
  StageClock clock;
  core::Expected<core::Plan> plan = lower(module, options, clock);
  if (!plan)
    return plan.status();
  Executable executable;
  executable.plan = std::move(*plan);
  if (options.gpu) {
#ifdef NDEBUG
    const bool validate = options.validate;
#else
    const bool validate = true;
#endif
    auto gpuPlan = makeGpuPlan(module, executable.plan, validate);
    if (!gpuPlan)
      return gpuPlan.status();
    const std::vector<std::byte> bytes = core::serialize(*gpuPlan);
    const auto *first = reinterpret_cast<const char *>(bytes.data());
    executable.object.assign(first, first + bytes.size());
    return executable;
  }
  EmitOptions emit;
  emit.moduleName = options.name;
  if (options.dumpAssembly && !options.dumpDir.empty()) {
    emit.assembly = true;
    auto assembly = emitObject(module, options.target, emit);
    if (!assembly)
      return fromError(assembly.takeError(), ErrorCode::Internal);
    if (Status status =
            writeFile(options.dumpDir + "/" + options.name + ".s", StringRef(assembly->data(), assembly->size()));
        !status)
      return status;
    emit.assembly = false;
  }
  clock.restart();
  if (options.relocatable) {
    auto object = emitObject(module, options.target, emit);
    if (!object)
      return fromError(object.takeError(), ErrorCode::Internal);
    executable.object = std::move(*object);
    return executable;
  }
  auto objects = emitObjects(module, options.target, emit);
  if (!objects)
    return fromError(objects.takeError(), ErrorCode::Internal);
  clock.record("object");
  auto shared = linkSharedObjects(*objects);
  if (!shared)
    return fromError(shared.takeError(), ErrorCode::Internal);
  executable.object = std::move(*shared);
  clock.record("link");
  if (Status status = dumpText(options, "times", clock.text()); !status)
    return status;
  return executable;
}

// Derived buffers by number, each as large as the largest of any version and made from what any version makes it from:
// a caller hands over the same ones, whatever version runs.
static void joinDerived(std::vector<core::PlanDerived> &all, const std::vector<core::PlanDerived> &version) {
  all.resize(std::max(all.size(), version.size()), {core::TypeDesc{DType::I8, Shape{0}}, {}});
  for (auto [joined, own] : llvm::zip(all, version)) {
    joined.type.shape = Shape{std::max(joined.type.byteSize(), own.type.byteSize())};
    joined.sources.insert(joined.sources.end(), own.sources.begin(), own.sources.end());
    llvm::sort(joined.sources);
    joined.sources.erase(llvm::unique(joined.sources), joined.sources.end());
  }
}

core::Expected<Executable> compiler::compileVersions(ArrayRef<ModuleOp> modules, ArrayRef<CpuTarget> targets,
                                                     const CompileOptions &options) {
  Executable executable;
  std::vector<CodeVersion> versions;
  // What a caller sees of the plan: all but the memory that tilings and packed operands take.
  std::vector<std::byte> common;
  std::vector<core::PlanDerived> derived;
  uint64_t arena = 0, prepareArena = 0;
  for (auto [module, target] : llvm::zip_equal(modules, targets)) {
    CompileOptions own = options;
    own.target = target;
    own.entry = options.entry + "." + target.cpu;
    own.prepareEntry = options.prepareEntry + "." + target.cpu;
    StageClock clock;
    core::Expected<core::Plan> plan = lower(module, own, clock);
    if (!plan)
      return plan.status();
    arena = std::max(arena, std::exchange(plan->arenaBytes, 0));
    prepareArena = std::max(prepareArena, std::exchange(plan->prepareArenaBytes, 0));
    joinDerived(derived, plan->derived);
    versions.push_back({module, target, own.entry, plan->derived.empty() ? "" : own.prepareEntry});
    core::Plan seen = *plan;
    seen.kernels.clear();
    seen.derived.clear();
    const std::vector<std::byte> bytes = core::serialize(seen);
    if (versions.size() > 1 && bytes != common)
      return Status::error(ErrorCode::Unsupported, "the program takes or gives its buffers in another way on '" +
                                                       target.cpu + "' than on '" + targets[0].cpu +
                                                       "': compile an object for each");
    common = bytes;
    executable.plan = std::move(*plan);
  }
  executable.plan.arenaBytes = arena;
  executable.plan.prepareArenaBytes = prepareArena;
  executable.plan.derived = std::move(derived);
  EmitOptions emit;
  emit.moduleName = options.name;
  auto object =
      emitVersions(versions, options.entry, executable.plan.derived.empty() ? "" : options.prepareEntry, emit);
  if (!object)
    return fromError(object.takeError(), ErrorCode::InvalidArgument);
  executable.object = std::move(*object);
  return executable;
}

#include "tools/burn-fuzz/Oracle.h"

#include "dialects/Burn/Interpreter/Bounds.h"
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Pipelines.h"
#include "tools/burn-fuzz/CompiledProgram.h"
#include "tools/burn-fuzz/OpByOp.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

namespace {

std::string runAndCompare(const CompiledProgram &program, const Tensors &arguments, Loops loops,
                          const Tensors &expected) {
  auto results = program.run(arguments, loops);
  return results ? llvm::join(compareBits(expected, *results), "\n") : results.status().message();
}

core::Status runPasses(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  compiler::DiagnosticCollector diagnostics(*module.getContext());
  PassManager passes(module.getContext());
  build(passes);
  if (failed(passes.run(module)))
    return diagnostics.status(core::ErrorCode::Unsupported, "the pass failed");
  return core::Status::ok();
}

// The function after some passes, interpreted.
core::Expected<Tensors> interpretAfter(ModuleOp module, const Tensors &arguments,
                                       llvm::function_ref<void(OpPassManager &)> build) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (core::Status status = runPasses(*copy, build); !status)
    return status;
  return ir::interpret(functionOf(*copy), arguments);
}

// Each composite against its decomposition, on the operands that the interpreter computed.
std::string compareDecompositions(ModuleOp module, const Tensors &arguments) {
  std::string failure;
  ir::InterpreterOptions options;
  options.observer = [&](Operation *op, std::span<const ir::HostTensor *const> operands,
                         std::span<const ir::HostTensor *const> results) {
    if (!failure.empty() || !isa<ir::CompositeOpInterface>(op) || op->getNumRegions() != 0)
      return core::Status::ok();
    ProgramBuilder builder(*op->getContext());
    SmallVector<Value> values;
    Tensors inputs;
    for (const ir::HostTensor *operand : operands) {
      values.push_back(builder.argument(operand->type));
      inputs.push_back(*operand);
    }
    const core::OpInfo &info = *ir::opInfo(op);
    const SmallVector<int64_t> words = ir::toAttrWords(op);
    const core::TypeDesc type = typeOf(op->getResult(0));
    Operation *copy = builder.op(info.code, values, words, info.resultsInferred ? nullptr : &type);
    if (!copy)
      return core::Status::ok();
    SmallVector<Value> returned(copy->getResults());
    OwningOpRef<ModuleOp> alone = builder.finish(returned);
    auto decomposed = interpretAfter(*alone, inputs, compiler::buildDecomposePipeline);
    if (!decomposed) {
      failure = decomposed.status().message();
      return core::Status::ok();
    }
    for (auto [i, result] : llvm::enumerate(results))
      if (const ir::Comparison comparison =
              ir::compareWithinBound(info.code, operands, {words.data(), words.size()}, i, *result, (*decomposed)[i]);
          !comparison)
        failure = "burn." + std::string(info.name) + ": result " + std::to_string(i) + ": " + comparison.message;
    return core::Status::ok();
  };
  auto run = ir::interpret(functionOf(module), arguments, options);
  return run ? failure : run.status().message();
}

// Each pass alone, by the interpreter.
std::string findWrongPass(ModuleOp module, const Tensors &arguments) {
  auto expected = ir::interpret(functionOf(module), arguments);
  if (!expected)
    return "interpreter: " + expected.status().message();
  const auto check = [&](const char *name, ModuleOp from, const Tensors &wanted,
                         llvm::function_ref<void(OpPassManager &)> build) -> std::string {
    auto results = interpretAfter(from, arguments, build);
    const std::string failure = results ? llvm::join(compareBits(wanted, *results), "\n") : results.status().message();
    return failure.empty() ? "" : std::string(name) + ": " + failure;
  };
  if (std::string failure = check("burn-simplify alone", module, *expected, compiler::buildSimplifyPipeline);
      !failure.empty())
    return failure;
  if (const std::string failure = compareDecompositions(module, arguments); !failure.empty())
    return "burn-decompose alone: " + failure;
  OwningOpRef<ModuleOp> decomposed = module.clone();
  if (core::Status status = runPasses(*decomposed, compiler::buildSimplifyPipeline); !status)
    return "burn-simplify: " + status.message();
  if (core::Status status = runPasses(*decomposed, compiler::buildDecomposePipeline); !status)
    return "burn-decompose: " + status.message();
  expected = ir::interpret(functionOf(*decomposed), arguments);
  if (!expected)
    return "interpreter: " + expected.status().message();
  // What is computed of frozen arguments would be further arguments; code is run with these.
  func::FuncOp function = functionOf(*decomposed);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, compiler::kFrozenAttr);
  return check("burn-fuse alone", *decomposed, *expected,
               [](OpPassManager &passes) { compiler::buildFusePipeline(passes, /*fusion=*/true); });
}

std::string throughCache(const CompiledProgram &program, const Tensors &arguments, const Tensors &expected) {
  llvm::SmallString<128> directory;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("burn-fuzz", directory))
    return "no directory for a cache: " + error.message();
  auto cached = program.throughCache(directory.str().str());
  const std::string failure =
      cached ? runAndCompare(**cached, arguments, Loops::Serial, expected) : cached.status().message();
  llvm::sys::fs::remove_directories(directory);
  return failure;
}

} // namespace

llvm::StringRef fuzz::checkOf(StringRef failure) {
  return failure.take_until([](char c) { return c == ':'; });
}

std::string fuzz::findFailure(const Program &program, const OracleOptions &options) {
  ModuleOp module = *program.module;
  const Tensors &arguments = program.arguments;
  std::set<std::string> ops = opsIn(module), kinds;
  if (core::Status status = compiler::expandGradients(module); !status)
    return "differentiation: " + status.message();
  ops.merge(opsIn(module));

  const auto optionsFor = [&](bool fusion) { return options.onHost ? hostOptions(fusion) : portableOptions(fusion); };
  OwningOpRef<ModuleOp> everything = returnEverything(module);
  auto unfused = CompiledProgram::compile(*everything, optionsFor(false));
  if (!unfused)
    return "unfused: " + unfused.status().message();
  auto values = (*unfused)->run(arguments, Loops::Serial);
  if (!values)
    return "unfused: " + values.status().message();
  if (const auto lines = compareOpByOp(functionOf(module), arguments, *values); !lines.empty())
    return "outside of bounds: " + llvm::join(lines, "\n");

  const Tensors expected = resultsFrom(module, arguments, *values);
  compiler::CompileOptions withFusion = optionsFor(true);
  withFusion.afterStage = [&](StringRef stage, ModuleOp after) {
    if (stage == "fused")
      kinds = kernelKindsIn(after);
  };
  auto fused = CompiledProgram::compile(module, withFusion);
  if (!fused)
    return "fused: " + fused.status().message();
  if (const std::string failure = runAndCompare(**fused, arguments, Loops::Serial, expected); !failure.empty())
    return "fused against unfused: " + failure;
  if (const std::string failure = runAndCompare(**fused, arguments, Loops::Backward, expected); !failure.empty())
    return "order of tasks: " + failure;

  if (options.thorough) {
    if (const std::string failure = runAndCompare(**fused, arguments, Loops::Threads, expected); !failure.empty())
      return "three threads: " + failure;
    if (const std::string failure = throughCache(**fused, arguments, expected); !failure.empty())
      return "cache: " + failure;
    if (std::string failure = findWrongPass(module, arguments); !failure.empty())
      return failure;
  }
  if (Coverage *coverage = options.coverage) {
    coverage->count(ops, kinds);
    coverage->thorough += options.thorough;
  }
  return "";
}

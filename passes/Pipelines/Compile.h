// Compilation from burn IR to an executable, as libburn-compiler and burn-compile do it.
#pragma once

#include "passes/Codegen/Tuning.h"
#include "passes/Targets/Cpu/CpuTarget.h"
#include "runtime/Core/Executable.h"
#include "runtime/Core/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace burn::compiler {

struct CompileOptions {
  CpuTarget target;
  /// A GPU behind Vulkan in place of the CPU: the object is then a serialized core::GpuPlan.
  std::optional<core::GpuTarget> gpu;
  /// Fuse ops into kernels; results have the same bits either way.
  bool fusion = true;
  /// Sums run in the order that the ops define. Otherwise products of bf16 may use instructions that add up in another
  /// order and precision.
  bool deterministic = true;
  /// Convolutions of 3 x 3 windows may be computed with fewer operations and a larger error (Winograd).
  bool fastMath = false;
  /// Kernels are cut into pieces for more than a few threads.
  bool manyThreads = false;
  /// A relocatable object for a linker instead of a shared object.
  bool relocatable = false;
  /// Check the SPIR-V that comes out of a compilation for a GPU. A debug build always does.
  bool validate = false;
  /// Line tables in the object.
  bool debugInfo = false;
  /// Name of the entry point.
  std::string entry = "burn_run";
  /// Name of the one that prepares it (burn/abi.h), where there is something to prepare.
  std::string prepareEntry = "burn_prepare";

  /// Chooses among the ways to make a kernel; without it each is made in the usual one.
  TuningOptions tuning;
  /// The module holds kernels already, as a TunableKernel gives them: the stages up to `fused` are left out.
  bool fused = false;

  /// Folder for dumps of every stage's IR and of the assembly; empty: none.
  std::string dumpDir;
  bool dumpIr = false, dumpAssembly = false;
  /// Prefix of dumped files, and name in messages.
  std::string name = "plan";
  /// Sees the module after each stage (see printStage).
  std::function<void(llvm::StringRef stage, mlir::ModuleOp module)> afterStage;
};

struct Executable {
  llvm::SmallVector<char, 0> object;
  core::Plan plan;
};

/// A context with the dialects that compilation needs, single-threaded.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// The module that holds one function of `source` alone, as `@main`. `source` is MLIR text or
/// bytecode; `entry` may be empty for `main` or the only function.
core::Expected<mlir::OwningOpRef<mlir::ModuleOp>> parseProgram(mlir::MLIRContext &context, llvm::StringRef source,
                                                               llvm::StringRef filename, llvm::StringRef entry);

/// Where the op of a location id stands in the source of a parsed program: "file:line:column"; empty where that is not
/// known.
std::string placeOf(mlir::ModuleOp program, uint32_t id);

/// Compiles the one function of `module`, which is consumed.
core::Expected<Executable> compile(mlir::ModuleOp module, const CompileOptions &options);

/// Compiles one function, of which there is a copy for each target, into one relocatable object with a version for
/// each: see passes/Targets/Cpu/Versions.h. The modules are consumed; `options` holds for all, but for their target.
core::Expected<Executable> compileVersions(llvm::ArrayRef<mlir::ModuleOp> modules, llvm::ArrayRef<CpuTarget> targets,
                                           const CompileOptions &options);

/// Runs the stages up to `stage` (imported, differentiated, simplified, decomposed, fused, tiled, planned,
/// kernels, code) and returns the printed IR.
core::Expected<std::string> printStage(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef stage);

/// Writes a file beside the dumps of IR, where these are asked for: <name>.<suffix>. Nothing for an empty text.
core::Status dumpText(const CompileOptions &options, llvm::StringRef suffix, llvm::StringRef text);

/// Expands every burn.grad, so that the interpreter can run the function.
core::Status expandGradients(mlir::ModuleOp module);

/// The stages before fusion: gradients expanded, simplified, composites decomposed as for code of the CPU.
core::Status makePrimitive(mlir::ModuleOp module);

/// The canonical bytecode of a module: without locations and names.
core::Expected<std::string> canonicalBytecode(mlir::ModuleOp module);

/// Collects the diagnostics of a context while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);
  ~DiagnosticCollector();

  /// The error that was reported, with the locations it names; `fallback` where none was.
  core::Status status(core::ErrorCode code, llvm::StringRef fallback) const;

private:
  mlir::MLIRContext &context_;
  uint64_t handler_;
  std::string text_;
  std::vector<uint32_t> locations_;
};

} // namespace burn::compiler

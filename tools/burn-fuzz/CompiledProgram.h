// Programs as machine code, called as the runtime calls them but on memory that betrays what it should not do.
#pragma once

#include "tools/burn-fuzz/ProgramBuilder.h"

#include "passes/Pipelines/Compile.h"
#include "runtime/Executable/NativeModule.h"

#include <burn/abi.h>

namespace burn::fuzz {

/// How the parallel loops of a program run. Results must not depend on it.
enum class Loops {
  Serial,   // the program runs its loops itself
  Backward, // task by task, the last one first
  Threads,  // by three threads
};

class CompiledProgram {
public:
  /// Compiles a copy of the program.
  static core::Expected<std::unique_ptr<CompiledProgram>> compile(mlir::ModuleOp module,
                                                                  const compiler::CompileOptions &options);

  /// The same program, written to a cache in `directory` and loaded from there.
  core::Expected<std::unique_ptr<CompiledProgram>> throughCache(const std::string &directory) const;

  const core::Plan &plan() const { return plan_; }

  /// Runs the program. An error of code OutOfRange where one of its checks fails, and of code Internal where it touches
  /// memory that is not its own (an argument that is not donated, or what lies before a buffer) or where its plan
  /// contradicts itself. An access beyond the end of a buffer ends the process.
  core::Expected<Tensors> run(std::span<const ir::HostTensor> arguments, Loops loops) const;

private:
  static core::Expected<std::unique_ptr<CompiledProgram>> load(std::span<const std::byte> plan,
                                                               runtime::FileDescriptor file);

  core::Plan plan_;
  std::vector<std::byte> planBytes_, object_;
  std::unique_ptr<runtime::NativeModule> module_;
  burn_run_fn run_ = nullptr;
  burn_prepare_fn prepare_ = nullptr;
};

/// Options for code that every machine of the tests runs.
compiler::CompileOptions portableOptions(bool fusion);
/// Options for this machine; the same where its processor is not known.
compiler::CompileOptions hostOptions(bool fusion);

} // namespace burn::fuzz

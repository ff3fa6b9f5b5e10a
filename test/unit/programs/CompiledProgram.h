// Programs as machine code, called as the runtime calls them but on memory that betrays what it should not do.
#pragma once

#include "test/unit/programs/ProgramBuilder.h"

#include "passes/Pipelines/Compile.h"
#include "runtime/Executable/NativeModule.h"

#include <burn/abi.h>

namespace burn::test {

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

  const core::Plan &plan() const { return plan_; }

  /// Runs the program. An error where one of its checks fails; the test fails where it touches memory that is not its
  /// own: beyond a buffer, or in an argument that is not donated.
  core::Expected<Tensors> run(std::span<const ir::HostTensor> arguments, Loops loops) const;

private:
  core::Plan plan_;
  std::unique_ptr<runtime::NativeModule> module_;
  burn_run_fn run_ = nullptr;
};

/// Options for code that every machine of the tests runs, or for this machine.
compiler::CompileOptions portableOptions(bool fusion);
compiler::CompileOptions hostOptions(bool fusion);

} // namespace burn::test

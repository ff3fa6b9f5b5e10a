#include "passes/Pipelines/NestingLimits.h"
#include "tools/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

int main(int argc, char **argv) {
  burn::compiler::registerPasses();
  mlir::DialectRegistry registry;
  burn::compiler::registerDialects(registry);
  const auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv,
      "burn-opt: reads MLIR in any registered dialect, runs passes, prints the result.\n\n"
      "  burn-opt FILE.mlir --PASS --PASS ...\n"
      "  burn-opt FILE.mlir --pass-pipeline='builtin.module(func.func(PASS{OPTION=VALUE}))'\n\n"
      "Without a FILE it reads the standard input. The passes and pipelines of this project begin "
      "with burn-.\nExit code 1: the input does not parse or verify, or a pass failed.\n",
      registry);
  const mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));

  const llvm::InitLLVM init(argc, argv);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> source = mlir::openInputFile(input, &message);
  // The parser recurses and would overflow the stack.
  if (source && !source->getBuffer().starts_with("ML\xefR"))
    if (const std::string exceeded = burn::compiler::exceededNesting(source->getBuffer()); !exceeded.empty())
      message = source->getBufferIdentifier().str() + ": " + exceeded;
  std::unique_ptr<llvm::ToolOutputFile> file = message.empty() ? mlir::openOutputFile(output, &message) : nullptr;
  if (!file) {
    llvm::errs() << message << '\n';
    return 1;
  }
  if (mlir::failed(mlir::MlirOptMain(file->os(), std::move(source), registry, config)))
    return 1;
  file->keep();
  return 0;
}

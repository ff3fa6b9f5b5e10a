#include "tools/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  burn::compiler::registerPasses();
  mlir::DialectRegistry registry;
  burn::compiler::registerDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv,
                        "burn-opt: reads MLIR in any registered dialect, runs passes, prints the result.\n\n"
                        "  burn-opt FILE.mlir --PASS --PASS ...\n"
                        "  burn-opt FILE.mlir --pass-pipeline='builtin.module(func.func(PASS{OPTION=VALUE}))'\n\n"
                        "Without a FILE it reads the standard input. The passes and pipelines of this project begin "
                        "with burn-.\nExit code 1: the input does not parse or verify, or a pass failed.\n",
                        registry));
}

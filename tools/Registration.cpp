#include "tools/Registration.h"

#include "dialects/Burn/Burn.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/RegisterOwnPasses.h.inc"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void burn::compiler::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<ir::BurnDialect>();
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
}

void burn::compiler::registerPasses() {
  mlir::registerAllPasses();
  registerOwnPasses();
  registerPipelines();
}

// Fuzzes the parser of IR, the verifier and the passes on burn IR.
#include "passes/Pipelines/Compile.h"
#include "passes/Pipelines/Pipelines.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>

using namespace burn;

namespace {

// What a context has seen stays in it.
constexpr int kProgramsPerContext = 500;

mlir::MLIRContext &context() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int programs = 0;
  if (!context || ++programs == kProgramsPerContext) {
    context = compiler::makeContext();
    programs = 0;
  }
  return *context;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // Bytecode has a reader of MLIR's own.
  if (text.starts_with("ML\xefR"))
    return 0;
  mlir::MLIRContext &mlirContext = context();
  core::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = compiler::parseProgram(mlirContext, text, "program", "");
  if (!module)
    return 0;
  compiler::DiagnosticCollector diagnostics(mlirContext);
  mlir::PassManager passes(&mlirContext);
  compiler::buildDifferentiatePipeline(passes);
  compiler::buildSimplifyPipeline(passes);
  compiler::buildDecomposePipeline(passes);
  compiler::buildFusePipeline(passes, /*fusion=*/true);
  compiler::buildPlanPipeline(passes);
  // A pass may refuse a program, but what it leaves must be sound.
  if (mlir::succeeded(passes.run(**module)) && mlir::failed(mlir::verify(**module)))
    std::abort();
  return 0;
}

#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "passes/Pipelines/Pipelines.h"
#include "test/fuzz/targets/Targets.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace burn;
using namespace burn::compiler;

namespace {

// What a context has seen stays in it.
constexpr int kProgramsPerContext = 500;

mlir::MLIRContext &context() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int programs = 0;
  if (!context || ++programs == kProgramsPerContext) {
    context = makeContext();
    programs = 0;
  }
  return *context;
}

core::Expected<mlir::OwningOpRef<mlir::ModuleOp>> read(mlir::MLIRContext &context, std::span<const std::byte> bytes) {
  if (core::Expected<core::Graph> graph = core::parseGraph(bytes))
    return importGraph(context, *graph);
  const llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  // Bytecode has a reader of MLIR's own.
  if (text.starts_with("ML\xefR"))
    return core::Status::invalid("bytecode");
  return parseProgram(context, text, "program", "");
}

} // namespace

std::string fuzz::readIr(std::span<const std::byte> bytes) {
  mlir::MLIRContext &mlirContext = context();
  core::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = read(mlirContext, bytes);
  if (!module)
    return "";
  DiagnosticCollector diagnostics(mlirContext);
  const auto isSound = [&] { return mlir::succeeded(mlir::verify(**module)); };
  const auto wrong = [&](const char *what) {
    return std::string(what) + ": " + diagnostics.status(core::ErrorCode::Internal, "no diagnostic").message();
  };
  if (!isSound())
    return wrong("what was read is not sound");
  mlir::PassManager passes(&mlirContext);
  buildGraphPipeline(passes, PipelineOptions());
  // A pass may refuse a program, but what it leaves must be sound.
  if (mlir::succeeded(passes.run(**module)) && !isSound())
    return wrong("the passes leave what is not sound");
  return "";
}

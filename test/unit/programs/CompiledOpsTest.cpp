// Every op, compiled on its own, against the reference interpreter.
#include "passes/PerOp/Program.h"
#include "test/unit/programs/OpCases.h"
#include "tools/burn-fuzz/CompiledProgram.h"
#include "tools/burn-fuzz/OpByOp.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::test;
using core::OpCode;

mlir::Value OpCases::input(const ir::HostTensor &value) {
  arguments.push_back(value);
  return builder.argument(value.type);
}

mlir::Operation *OpCases::add(OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words,
                              const core::TypeDesc *type) {
  mlir::Operation *op = builder.op(code, operands, words, type);
  INFO(builder.refusal());
  REQUIRE(op);
  results.insert(results.end(), op->result_begin(), op->result_end());
  return op;
}

namespace {

using AddCases = void (*)(CaseTable &);

CaseTable tableOf(AddCases family) {
  CaseTable table;
  family(table);
  return table;
}

void checkOp(OpCode code, const std::function<void(OpCases &)> &add, const compiler::CompileOptions &options) {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  OpCases cases(*context);
  add(cases);
  mlir::OwningOpRef<mlir::ModuleOp> module = cases.builder.finish(cases.results);
  CAPTURE(core::findOp(code)->name, options.target.cpu, options.fusion);
  auto program = CompiledProgram::compile(*module, options);
  INFO((program ? std::string() : program.status().message()));
  REQUIRE(program);
  for (Loops loops : {Loops::Serial, Loops::Backward}) {
    auto results = (*program)->run(cases.arguments, loops);
    INFO((results ? std::string() : results.status().message()));
    REQUIRE(results);
    std::string failures;
    for (const std::string &failure : compareOpByOp(functionOf(*module), cases.arguments, *results))
      failures += failure + "\n";
    INFO(failures);
    CHECK(failures.empty());
  }
}

// Threads that take the tasks of a loop one by one, from the last to the first.
void runBackward(void *, int64_t tasks, burn_task_fn body, void *arg) {
  for (int64_t task = tasks; task-- > 0;)
    body(arg, task, task + 1);
}

// What runs while a program is compiled.
void checkPerOp(OpCode code, const std::function<void(OpCases &)> &add) {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  OpCases cases(*context);
  add(cases);
  mlir::OwningOpRef<mlir::ModuleOp> module = cases.builder.finish(cases.results);
  CAPTURE(core::findOp(code)->name);
  mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
  auto program = compiler::perop::Program::make(*copy);
  INFO((program ? std::string() : program.status().message()));
  REQUIRE(program);
  std::vector<compiler::perop::Tensor> arguments;
  for (ir::HostTensor &argument : cases.arguments)
    arguments.push_back({argument.type, {std::shared_ptr<void>(), argument.bytes.data()}});
  const burn_rt backward = {BURN_ABI_VERSION, nullptr, runBackward, nullptr};
  std::vector<Tensors> runs;
  for (const burn_rt *rt : {static_cast<const burn_rt *>(nullptr), &backward}) {
    auto results = (*program)->run(arguments, rt);
    INFO((results ? std::string() : results.status().message()));
    REQUIRE(results);
    Tensors &tensors = runs.emplace_back();
    for (const compiler::perop::Tensor &result : *results) {
      ir::HostTensor &tensor = tensors.emplace_back(result.type);
      std::copy_n(result.data.get(), tensor.bytes.size(), tensor.bytes.data());
    }
  }
  std::string failures;
  for (const std::string &failure : compareOpByOp(functionOf(*module), cases.arguments, runs[0]))
    failures += failure + "\n";
  INFO(failures);
  CHECK(failures.empty());
  CHECK(compareBits(runs[0], runs[1]).empty());
}

void checkFamily(AddCases family) {
  for (const auto &[code, add] : tableOf(family)) {
    checkPerOp(code, add);
    checkOp(code, add, portableOptions(/*fusion=*/true));
    checkOp(code, add, hostOptions(/*fusion=*/false));
  }
}

} // namespace

TEST_CASE("Every op of a graph has cases to compile") {
  CaseTable table;
  for (AddCases family : {addElementwiseCases, addShapeCases, addIndexingCases, addOrderCases, addReductionCases,
                          addScanCases, addContractionCases, addNeuralCases, addCompositeCases})
    family(table);
  for (const core::OpInfo &info : core::allOps()) {
    CAPTURE(info.name);
    // A gradient is expanded before anything is compiled; random programs hold some. Ops with regions have tests of
    // their own.
    const bool isCompiled = info.inGraph && info.code != OpCode::Grad && info.regions == 0;
    CHECK(table.contains(info.code) == isCompiled);
  }
}

TEST_CASE("Compiled elementwise ops agree with the interpreter") { checkFamily(addElementwiseCases); }
TEST_CASE("Compiled data movement agrees with the interpreter") { checkFamily(addShapeCases); }
TEST_CASE("Compiled gathers and scatters agree with the interpreter") { checkFamily(addIndexingCases); }
TEST_CASE("Compiled reductions agree with the interpreter") { checkFamily(addReductionCases); }
TEST_CASE("Compiled scans agree with the interpreter") { checkFamily(addScanCases); }
TEST_CASE("Compiled sorting and searching agree with the interpreter") { checkFamily(addOrderCases); }
TEST_CASE("Compiled contractions agree with the interpreter") { checkFamily(addContractionCases); }
TEST_CASE("Compiled composites agree with the interpreter") { checkFamily(addNeuralCases); }
TEST_CASE("Compiled norms, attention, activations and the like agree with the interpreter") {
  checkFamily(addCompositeCases);
}

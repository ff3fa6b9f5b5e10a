#include "tools/burn-fuzz/Program.h"

#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/Values.h"

using namespace mlir;
using namespace burn;
using namespace burn::fuzz;

namespace {
constexpr llvm::StringLiteral kValueAttr = "burn.value";
}

std::string fuzz::writeProgram(const Program &program) {
  OwningOpRef<ModuleOp> module = program.module.get().clone();
  func::FuncOp function = functionOf(*module);
  for (auto [i, argument] : llvm::enumerate(program.arguments))
    function.setArgAttr(i, kValueAttr, ir::toElementsAttr(module->getContext(), argument));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text + "\n";
}

core::Expected<Program> fuzz::readProgram(MLIRContext &context, StringRef text, StringRef filename) {
  core::Expected<OwningOpRef<ModuleOp>> module = compiler::parseProgram(context, text, filename, "");
  if (!module)
    return module.status();
  Program program{std::move(*module), {}};
  func::FuncOp function = functionOf(*program.module);
  Random random(7);
  for (BlockArgument argument : function.getArguments()) {
    const unsigned number = argument.getArgNumber();
    const core::TypeDesc type = typeOf(argument);
    const Attribute given = function.removeArgAttr(number, kValueAttr);
    if (!given) {
      program.arguments.push_back(randomTensor(type, Fill::Tame, random));
      continue;
    }
    auto elements = dyn_cast<ElementsAttr>(given);
    core::Expected<ir::HostTensor> value =
        elements ? ir::toHostTensor(elements) : core::Status::invalid("expected elements");
    if (value && value->type != type)
      value = core::Status::invalid("the elements have another type than the argument");
    if (!value)
      return core::Status::invalid(filename.str() + ": burn.value of argument " + std::to_string(number) + ": " +
                                   value.status().message());
    program.arguments.push_back(std::move(*value));
  }
  return program;
}

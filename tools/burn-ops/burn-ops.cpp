// burn-ops: which types each op of the dialect takes, by which code it runs, and whether it has a gradient.
#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Evaluate.h"
#include "tools/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace burn;
using namespace burn::ir;

namespace {

llvm::cl::OptionCategory category("Options of burn-ops");
llvm::cl::list<std::string> files(llvm::cl::Positional, llvm::cl::OneOrMore, llvm::cl::desc("FILE.mlir ..."),
                                  llvm::cl::cat(category));

/// The element type that an example of an op is about: that of its first operand of floats, else of its first operand
/// or result.
mlir::Type mainType(mlir::Operation *op) {
  llvm::SmallVector<mlir::Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (mlir::Type type : types)
    if (mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type)))
      return mlir::getElementTypeOrSelf(type);
  return types.empty() ? mlir::Type() : mlir::getElementTypeOrSelf(types.front());
}

/// Whether the example verifies with `dtype` in the place of its main type.
bool takes(mlir::Operation *op, core::DType dtype) {
  mlir::Type from = mainType(op), to = toElementType(op->getContext(), dtype);
  auto replaced = [&](mlir::Type type) -> mlir::Type {
    auto shaped = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return shaped && shaped.getElementType() == from ? shaped.clone(to) : type;
  };
  mlir::Block block;
  mlir::IRMapping mapping;
  for (mlir::Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, block.addArgument(replaced(operand.getType()), op->getLoc()));
  mlir::Operation *copy = op->clone(mapping);
  block.push_back(copy);
  mlir::ScopedDiagnosticHandler quiet(op->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  llvm::SmallVector<mlir::Type> results(llvm::map_range(op->getResultTypes(), replaced));
  if (auto inferring = mlir::dyn_cast<mlir::InferTypeOpInterface>(copy)) {
    results.clear();
    if (mlir::failed(inferring.inferReturnTypes(copy->getContext(), copy->getLoc(), copy->getOperands(),
                                                copy->getDiscardableAttrDictionary(), copy->getPropertiesStorage(),
                                                copy->getRegions(), results)))
      return false;
  }
  for (auto [result, type] : llvm::zip_equal(copy->getResults(), results))
    result.setType(type);
  return mlir::succeeded(mlir::verify(copy));
}

/// The types as words: a class of types where all of it are taken. A second example has what one alone cannot show: of
/// narrow floats some operands stay wide.
std::string typesOf(llvm::ArrayRef<mlir::Operation *> examples) {
  using enum core::DType;
  struct Class {
    llvm::StringRef name;
    llvm::SmallVector<core::DType> types;
  };
  const Class classes[] = {
      {"floats", {F64, F32, F16, BF16}}, {"integers", {I64, I32, I16, I8, U64, U32, U16, U8}}, {"bool", {Bool}}};
  llvm::SmallVector<std::string> words;
  for (const Class &each : classes) {
    llvm::SmallVector<std::string> taken;
    for (core::DType type : each.types)
      if (llvm::any_of(examples, [&](mlir::Operation *op) { return takes(op, type); }))
        taken.push_back(std::string(name(type)));
    if (taken.size() == each.types.size())
      words.push_back(each.name.str());
    else
      llvm::append_range(words, taken);
  }
  return llvm::join(words, ", ");
}

/// How code for CPUs is made.
llvm::StringRef codeOf(mlir::Operation *op, core::OpCode code) {
  // Codes of one family: control flow, and what passes take away before code is made.
  if (static_cast<int>(code) / 100 == 9)
    return "control";
  if (mlir::isa<ElementwiseOpInterface>(op))
    return "scalar payload";
  if (mlir::isa<ViewOpInterface>(op))
    return "index map";
  if (mlir::isa<CompositeOpInterface>(op))
    return "decomposition";
  return "kernel";
}

/// How the reference interpreter takes an op.
llvm::StringRef interpretedBy(mlir::Operation *op, core::OpCode code) {
  // Ops with a body are steps of the interpreter, not meanings.
  if (hasMeaning(code) || (op->getNumRegions() && code != core::OpCode::Fused))
    return "yes";
  return code == core::OpCode::Grad ? "once differentiated" : "no";
}

/// Whether a gradient flows through the op: its rule, asked on the example with each float result as its own cotangent,
/// gives one. An op may promise a rule and refuse, as a kernel without a decomposition does.
bool hasRule(mlir::Operation *op) {
  auto rule = mlir::dyn_cast<DifferentiableOpInterface>(op);
  if (!rule) // differentiated as its decomposition
    return mlir::isa<CompositeOpInterface>(op);
  auto isFloat = [](mlir::Value value) { return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value)); };
  llvm::SmallVector<mlir::Value> resultCts;
  for (mlir::Value result : op->getResults())
    resultCts.push_back(isFloat(result) ? result : mlir::Value());
  llvm::SmallBitVector needed(op->getNumOperands());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    needed[i] = isFloat(op->getOperand(i)) && rule.isDifferentiableOperand(i);
  llvm::SmallVector<mlir::Value> operandCts(op->getNumOperands());
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  return needed.none() || mlir::succeeded(rule.buildVjp(builder, resultCts, needed, operandCts));
}

llvm::StringRef gradientOf(mlir::Operation *op, core::OpCode code) {
  bool givesFloats = llvm::any_of(op->getResultTypes(), [](mlir::Type type) {
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  });
  // The example of an op with a rule may be one that gives integers, as that of convert.
  if (!givesFloats)
    return mlir::isa<DifferentiableOpInterface>(op) ? "yes" : "none: not floats";
  return code == core::OpCode::Grad || hasRule(op) ? "yes" : "no";
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "burn-ops: prints docs/ops.md, the table of the dialect's ops by type, backend and gradient.\n\n"
      "The files hold an example of each op. What types an op takes is what its verifier says of the example with\n"
      "another element type.\nExit code 1: a file does not parse, or an op has no example.\n");
  mlir::DialectRegistry registry;
  compiler::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::StringMap<llvm::SmallVector<mlir::Operation *>> examples;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  for (const std::string &file : files) {
    modules.push_back(mlir::parseSourceFile<mlir::ModuleOp>(file, &context));
    if (!modules.back())
      return 1;
    modules.back()->walk([&](mlir::Operation *op) { examples[op->getName().stripDialect()].push_back(op); });
  }

  llvm::raw_ostream &out = llvm::outs();
  out << R"(# Ops

Which element types an op takes (in the form of its example, of its float operand where it has several), whether the
reference interpreter evaluates it, by which form of code it runs on CPUs (see [adding an op](adding-an-op.md)), and
whether it has a gradient. [dialect.md](dialect.md) says what each means; `make docs` writes both pages.

| op | code | types | interpreter | CPU | gradient |
| --- | --- | --- | --- | --- | --- |
)";
  int missing = 0;
  for (const core::OpInfo &info : core::allOps()) {
    if (!info.inGraph)
      continue;
    auto example = examples.find(llvm::StringRef(info.name.data(), info.name.size()));
    if (example == examples.end()) {
      llvm::errs() << "burn-ops: no example of burn." << info.name << "\n";
      ++missing;
      continue;
    }
    mlir::Operation *op = example->second.front();
    out << "| `" << info.name << "` | " << static_cast<int>(info.code) << " | "
        << (op->getNumRegions() ? "those of its body" : typesOf(example->second)) << " | "
        << interpretedBy(op, info.code) << " | " << codeOf(op, info.code) << " | " << gradientOf(op, info.code)
        << " |\n";
  }
  return missing ? 1 : 0;
}

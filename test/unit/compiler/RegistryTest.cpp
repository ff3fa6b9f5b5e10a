// Walks the op table and names the role that an op lacks: documentation, shape rule, meaning, code, derivative, API,
// tests. docs/adding-an-op.md says where each is written.
#include "Interpret.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

const std::string root = BURN_SOURCE_DIR;

std::string contentOf(const std::filesystem::path &file) {
  std::ifstream stream(file);
  INFO(file.string());
  REQUIRE(stream);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string contentBelow(const std::string &folder, const std::string &extension) {
  std::string text;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root + "/" + folder))
    if (entry.is_regular_file() && entry.path().extension() == extension)
      text += contentOf(entry.path());
  return text;
}

// arg_reduce -> ArgReduce
std::string className(std::string_view name) {
  std::string result;
  bool upper = true;
  for (char letter : name) {
    if (letter == '_') {
      upper = true;
      continue;
    }
    result += upper ? static_cast<char>(std::toupper(letter)) : letter;
    upper = false;
  }
  return result;
}

// The text of an op's definition in ODS.
std::string definitionOf(const std::string &ods, const core::OpInfo &info) {
  const size_t begin = ods.find("<\"" + std::string(info.name) + "\", " + std::to_string(static_cast<int>(info.code)));
  if (begin == std::string::npos)
    return {};
  const size_t end = ods.find("\ndef ", begin);
  return ods.substr(begin, end == std::string::npos ? end : end - begin);
}

// Whether the shape rule exists: any answer but an internal error.
bool hasRule(const core::OpInfo &info) {
  std::vector<core::TypeDesc> operands(info.leastOperands), results(std::max(info.results, 0));
  const core::Status status = core::inferTypes(info.code, operands, {}, results);
  return status.code() != core::ErrorCode::Internal;
}

// Made by passes alone, and so without a function of the API.
const std::set<core::OpCode> internalOps = {core::OpCode::Undef, core::OpCode::ArgReduceWindow, core::OpCode::RngBits,
                                            core::OpCode::AttentionGrad};

} // namespace

TEST_CASE("registry: every op has every role") {
  const std::string ods = contentBelow("dialects/Burn", ".td");
  const std::string api = contentBelow("frontend", ".cpp") + contentBelow("frontend", ".h");
  const std::string kernels = contentBelow("passes/Codegen", ".cpp") + contentBelow("passes/Codegen", ".h");
  const std::string folder = root + "/test/dialects/burn/";
  Program examples(contentOf(folder + "ops.mlir") + contentOf(folder + "ops-breadth.mlir") +
                   contentOf(folder + "ops-control.mlir"));
  std::map<std::string, mlir::Operation *> example;
  examples.module->walk([&](mlir::Operation *op) { example[op->getName().stripDialect().str()] = op; });

  std::vector<std::string> missing;
  for (const core::OpInfo &info : core::allOps()) {
    const std::string name(info.name);
    auto require = [&](bool present, const std::string &role) {
      if (!present)
        missing.push_back("burn." + name + " lacks " + role);
    };
    const std::string definition = definitionOf(ods, info);
    require(definition.find("let summary") != std::string::npos, "a summary in its ODS definition");
    require(definition.find("```mlir") != std::string::npos, "an example in its description");
    require(example.count(name), "a round trip in test/dialects/burn/ops*.mlir");
    if (!info.inGraph || !example.count(name))
      continue;
    require(hasRule(info), "a rule in runtime/Core/OpRules");
    const bool isGrad = info.code == core::OpCode::Grad;
    mlir::Operation *op = example[name];
    const bool hasRegions = mlir::isa<RegionOpInterface>(op);
    require(isGrad || hasRegions || hasMeaning(info.code), "a meaning in dialects/Burn/Interpreter");
    const bool isComposite = mlir::isa<CompositeOpInterface>(op);
    // Removed before code is generated, or no code by themselves.
    const std::set<core::OpCode> markers = {core::OpCode::StopGradient, core::OpCode::Name, core::OpCode::Barrier,
                                            core::OpCode::Assert, core::OpCode::Print};
    const bool isMarker = isGrad || hasRegions || markers.count(info.code);
    require(isMarker || isComposite || mlir::isa<ElementwiseOpInterface, ViewOpInterface>(op) ||
                kernels.find(className(name) + "Op") != std::string::npos,
            "code: a scalar payload, index maps, a decomposition or a generator in passes/Codegen");
    const bool givesFloats = llvm::any_of(op->getResultTypes(), [](mlir::Type type) {
      return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
    });
    // A composite without a rule is decomposed before it is differentiated.
    require(isGrad || !givesFloats || isComposite || mlir::isa<DifferentiableOpInterface>(op) ||
                op->hasTrait<NotDifferentiable>(),
            "a derivative (DifferentiableOpInterface), or the statement that it has none (NotDifferentiable)");
    require(internalOps.count(info.code) || api.find("OpCode::" + className(name)) != std::string::npos ||
                api.find(className(name) + "Attrs") != std::string::npos,
            "a function of the API in frontend/");
  }
  for (const std::string &what : missing)
    UNSCOPED_INFO(what);
  CHECK(missing.empty());
}

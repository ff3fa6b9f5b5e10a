// Every op of the registry, as it stands in the round-trip tests, becomes SPIR-V that the validator takes, or says why
// it cannot.
#include "dialects/Burn/Burn.h"

#include "passes/Pipelines/Compile.h"
#include "runtime/Core/GpuPlan.h"

#include "mlir/Parser/Parser.h"

#include <fstream>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include <catch2/catch.hpp>

using namespace burn;

namespace {

// The op as a program of its own.
mlir::OwningOpRef<mlir::ModuleOp> isolated(mlir::Operation *op) {
  mlir::OpBuilder b(op->getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(b.getUnknownLoc()));
  b.setInsertionPointToEnd(module->getBody());
  auto function = mlir::func::FuncOp::create(b, op->getLoc(), "main",
                                             b.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  b.setInsertionPointToEnd(function.addEntryBlock());
  mlir::Operation *copy = b.clone(*op);
  copy->setOperands(function.getArguments());
  mlir::func::ReturnOp::create(b, op->getLoc(), copy->getResults());
  return module;
}

core::GpuTarget everything() {
  core::GpuTarget target;
  target.features = core::kGpuAllFeatures;
  target.subgroupSize = 32;
  target.matrices = {{core::GpuMatrixShape::F16, 16, 16, 16}, {core::GpuMatrixShape::I8, 16, 16, 32}};
  target.maxBindings = 32;
  target.loopIterations = 65535;
  return target;
}

} // namespace

TEST_CASE("every op becomes SPIR-V, or says why a GPU cannot run it") {
  auto context = compiler::makeContext();
  std::map<std::string, std::string> refused;
  std::set<std::string> seen;
  for (const char *name : {"ops.mlir", "ops-breadth.mlir", "ops-control.mlir"}) {
    std::ifstream file(std::string(BURN_SOURCE_DIR) + "/test/dialects/burn/" + name);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text.str(), context.get());
    REQUIRE(module);
    module->walk([&](mlir::Operation *op) {
      const core::OpInfo *info = ir::opInfo(op);
      if (!info || !info->inGraph || !mlir::isa<mlir::func::FuncOp>(op->getParentOp()))
        return;
      seen.insert(std::string(info->name));
      for (const bool fusion : {false, true}) {
        compiler::CompileOptions options;
        options.gpu = everything();
        options.fusion = fusion;
        options.validate = true;
        auto program = isolated(op);
        if (auto compiled = compiler::compile(*program, options); !compiled)
          refused[std::string(info->name)] = compiled.status().message();
      }
    });
  }
  for (const core::OpInfo &info : core::allOps()) {
    INFO("burn." << info.name);
    CHECK((!info.inGraph || seen.contains(std::string(info.name))));
  }
  // What the host computes.
  const std::map<std::string, std::string> unsupported = {
      {"custom_kernel", "calls a kernel of the host, which a GPU cannot"},
  };
  for (const auto &[name, message] : refused) {
    INFO("burn." << name << ": " << message);
    const auto expected = unsupported.find(name);
    REQUIRE(expected != unsupported.end());
    CHECK_THAT(message, Catch::Contains(expected->second));
  }
  CHECK(refused.size() == unsupported.size());
}

TEST_CASE("what is fused fits a GPU that binds few buffers") {
  auto context = compiler::makeContext();
  std::string arguments, body, sum = "%a0";
  for (int i = 0; i < 12; ++i) {
    const std::string number = std::to_string(i);
    arguments += (i ? ", %a" : "%a") + number + ": tensor<8xf32>";
    if (i > 0) {
      body += "  %s" + number + " = burn.add " + sum + ", %a" + number + " : tensor<8xf32>\n";
      sum = "%s" + number;
    }
  }
  const std::string text =
      "func.func @main(" + arguments + ") -> tensor<8xf32> {\n" + body + "  return " + sum + " : tensor<8xf32>\n}\n";
  for (const uint32_t bindings : {3, 4, 8, 13}) {
    INFO(bindings);
    auto program = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    REQUIRE(program);
    compiler::CompileOptions options;
    options.gpu = core::GpuTarget();
    options.gpu->maxBindings = bindings;
    options.validate = true;
    auto compiled = compiler::compile(*program, options);
    REQUIRE(compiled);
    const auto plan = core::parseGpuPlan(std::as_bytes(std::span(compiled->object.data(), compiled->object.size())));
    REQUIRE(plan);
    // Each kernel adds bindings - 2 operands to a sum.
    CHECK(plan->kernels.size() == (11 + bindings - 3) / (bindings - 2));
  }
}

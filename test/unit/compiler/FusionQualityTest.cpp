// What fusion must reach on a whole training step, read from the clusters that the graph pipeline makes.
#include "Interpret.h"
#include "passes/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

#include <fstream>
#include <sstream>

using namespace burn;
using namespace burn::test;

namespace {

std::string read(const std::string &path) {
  std::ifstream file(std::string(BURN_SOURCE_DIR) + path);
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void runGraphPipeline(Program &program, bool fusion) {
  mlir::PassManager pm(&program.context);
  compiler::PipelineOptions options;
  options.fusion = fusion;
  compiler::buildGraphPipeline(pm, options);
  REQUIRE(succeeded(pm.run(*program.module)));
}

template <typename... Ops> bool holds(ir::FusedOp cluster) {
  return llvm::any_of(cluster.getBody().front(), [](mlir::Operation &op) { return mlir::isa<Ops...>(op); });
}

// The cluster behind a value, through reshapes.
ir::FusedOp producer(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
    value = reshape.getInput();
  return value.getDefiningOp<ir::FusedOp>();
}

} // namespace

TEST_CASE("fusion: no elementwise kernel only follows a product or a convolution in a training step") {
  Program program(read("/test/pipelines/Inputs/training-step.mlir"));
  runGraphPipeline(program, true);
  int clusters = 0;
  program.function().walk([&](ir::FusedOp cluster) {
    ++clusters;
    if (cluster.getKind() != ir::ClusterKind::Elementwise)
      return;
    for (mlir::Value input : cluster.getInputs()) {
      ir::FusedOp from = producer(input);
      if (!from || !holds<ir::ConvOp, ir::DotGeneralOp>(from) || !input.hasOneUse())
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << cluster;
      INFO(text);
      CHECK(mlir::cast<mlir::RankedTensorType>(input.getType()).getNumElements() !=
            mlir::cast<mlir::RankedTensorType>(cluster.getResult(0).getType()).getNumElements());
    }
  });
  CHECK(clusters <= 40);
}

TEST_CASE("fusion: fused and unfused training steps hold the same ops in sum") {
  // The interpreter sees through clusters: both must give the very bits of the program itself.
  const std::string text = read("/test/pipelines/Inputs/training-step.mlir");
  Program fused(text), unfused(text);
  runGraphPipeline(fused, true);
  runGraphPipeline(unfused, false);
  std::vector<ir::HostTensor> arguments;
  uint64_t state = 1;
  for (mlir::Type type : fused.function().getArgumentTypes()) {
    ir::HostTensor tensor(*ir::toTypeDesc(type));
    if (tensor.type.dtype == DType::F32)
      for (float &element : tensor.data<float>()) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        element = static_cast<float>(state >> 40) * 0x1p-24f - 0.25f;
      }
    else if (tensor.type.dtype == DType::I64)
      for (auto [i, element] : llvm::enumerate(tensor.data<int64_t>()))
        element = static_cast<int64_t>(i) % 10;
    else if (tensor.type.dtype == DType::F64)
      tensor.data<double>()[0] = 0.25;
    arguments.push_back(std::move(tensor));
  }
  auto a = fused.run(arguments), b = unfused.run(arguments);
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(a[i].bytes == b[i].bytes);
}

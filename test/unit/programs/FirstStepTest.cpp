// The first training step of the MNIST example on real digits: recorded, compiled, and compared with the reference
// interpreter op by op and as a whole.
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "examples/mnist/net.h"
#include "frontend/Trace/Program.h"
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/CompiledProgram.h"
#include "tools/burn-fuzz/OpByOp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace burn;
using namespace burn::fuzz;

namespace {

// Keeps the one program that is recorded and what it ran on; nothing is computed.
class Recorder : public trace::Backend {
public:
  Recorder() { trace::setBackend(this); }
  ~Recorder() override { trace::setBackend(nullptr); }

  core::Expected<std::shared_ptr<const trace::Program>> prepare(const core::Graph &graph) override {
    this->graph = graph;
    return std::shared_ptr<const trace::Program>(std::make_shared<Stop>(graph, *this));
  }

  core::Graph graph;
  Tensors arguments;

private:
  struct Stop : trace::Program {
    Stop(const core::Graph &graph, Recorder &owner) : owner(owner) {
      for (const core::GraphArg &arg : graph.args)
        if (arg.kind == core::ArgKind::Scalar) {
          scalarOffsets.push_back(scalarBytes);
          scalarBytes += 8;
        }
    }
    core::Status execute(std::span<runtime::BufferRef> buffers, const void *scalars,
                         std::span<runtime::BufferRef>) const override {
      size_t buffer = 0, scalar = 0;
      for (const core::GraphArg &arg : owner.graph.args) {
        ir::HostTensor tensor(arg.type);
        const void *data = arg.kind == core::ArgKind::Buffer
                               ? buffers[buffer++]->data()
                               : static_cast<const std::byte *>(scalars) + scalarOffsets[scalar++];
        std::memcpy(tensor.bytes.data(), data, tensor.bytes.size());
        owner.arguments.push_back(std::move(tensor));
      }
      return core::Status::error(core::ErrorCode::Unavailable, "recorded only");
    }
    Recorder &owner;
  };
};

double norm(std::span<const double> values) {
  double sum = 0;
  for (double value : values)
    sum += value * value;
  return std::sqrt(sum);
}

} // namespace

TEST_CASE("mnist: the first training step, op by op and as a whole") {
  const ImageDataset digits = load_mnist(BURN_SOURCE_DIR "/examples/mnist/data", Split::Train);
  DataLoader loader(digits, {.batch_size = 64, .shuffle = true});
  manual_seed(42);
  Net net;
  optim::AdamW optimizer(nn::named_parameters(net),
                         {.lr = 3e-3 / 125, .eps = 1e-5, .weight_decay = 5e-5, .cautious_weight_decay = true});
  std::vector<Tensor> kept; // initial values exist before the step is recorded
  for (const Batch &batch : loader.epoch(0)) {
    kept.push_back(tensor(batch.images, {batch.size, 1, 28, 28}));
    kept.push_back(tensor(batch.labels, {batch.size}));
    break;
  }
  burn::sync();

  Recorder recorder;
  Tensor loss;
  try {
    loss = cross_entropy(net.forward(kept[0]), kept[1]);
    loss.backward();
    optimizer.step();
    FAIL("the recorder runs nothing");
  } catch (const Error &error) {
    REQUIRE(error.code() == ErrorCode::Unavailable);
  }

  auto context = compiler::makeContext();
  auto module = compiler::importGraph(*context, recorder.graph);
  REQUIRE(module);
  mlir::func::FuncOp function = functionOf(**module);

  // Which results are the gradients.
  std::vector<size_t> gradients;
  auto returned = function.getBody().front().getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(returned))
    if (value.getDefiningOp<ir::GradOp>())
      gradients.push_back(i);
  CHECK(gradients.size() == 14); // weight and bias of two convolutions, two norms and three linear layers
  size_t lossAt = returned.size();
  for (auto [i, value] : llvm::enumerate(returned))
    if (value.getDefiningOp<ir::CrossEntropyOp>())
      lossAt = i;
  REQUIRE(lossAt < returned.size());

  REQUIRE(compiler::expandGradients(**module));
  auto fused = CompiledProgram::compile(**module, hostOptions(true));
  REQUIRE(fused);
  auto actual = (*fused)->run(recorder.arguments, Loops::Threads);
  REQUIRE(actual);

  // As a whole, against the same program in f64.
  ir::InterpreterOptions inDouble;
  inDouble.precision = ir::Precision::Double;
  auto expected = ir::interpret(function, recorder.arguments, inDouble);
  REQUIRE(expected);
  const double wanted = (*expected)[lossAt].data<double>()[0];
  CHECK(std::fabs((*actual)[lossAt].data<float>()[0] - wanted) <= 1e-5 * std::fabs(wanted));
  double largest = 0;
  for (size_t i : gradients)
    largest = std::max(largest, norm((*expected)[i].data<double>()));
  for (size_t i : gradients) {
    const auto right = (*expected)[i].data<double>();
    const auto found = (*actual)[i].data<float>();
    std::vector<double> difference(right.size());
    for (size_t k = 0; k < right.size(); ++k)
      difference[k] = found[k] - right[k];
    INFO("gradient " << i << " of norm " << norm(right) << ", largest " << largest);
    CHECK(norm(difference) <= std::max(1e-3 * norm(right), 1e-6 * largest));
  }

  // Op by op: every value that unfused code computes, against the interpreter on the operands of its op; and fused code
  // gives what unfused code gives.
  auto everything = returnEverything(**module);
  auto unfused = CompiledProgram::compile(*everything, hostOptions(false));
  REQUIRE(unfused);
  auto values = (*unfused)->run(recorder.arguments, Loops::Threads);
  REQUIRE(values);
  for (const std::string &failure : compareOpByOp(function, recorder.arguments, *values))
    FAIL_CHECK(failure);
  auto plain = CompiledProgram::compile(**module, hostOptions(false));
  REQUIRE(plain);
  auto same = (*plain)->run(recorder.arguments, Loops::Serial);
  REQUIRE(same);
  for (const std::string &failure : compareBits(*same, *actual))
    FAIL_CHECK(failure);
}

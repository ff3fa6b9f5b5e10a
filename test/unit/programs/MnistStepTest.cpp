// The first training step of the MNIST example, recorded by the frontend and taken apart here.
#include "examples/mnist/net.h"
#include "frontend/Trace/Program.h"
#include "passes/Graph/Import.h"
#include "passes/Pipelines/Compile.h"
#include "test/unit/programs/Agreement.h"

#include <burn/autograd.h>
#include <burn/data.h>
#include <burn/optim.h>

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::test;

namespace {

/// Takes the first program and its arguments, and computes nothing.
class Recording : public trace::Backend {
public:
  Recording() { trace::setBackend(this); }
  ~Recording() override { trace::setBackend(nullptr); }

  core::Expected<std::shared_ptr<const trace::Program>> prepare(const core::Graph &recorded) override {
    graph = recorded;
    return std::shared_ptr<const trace::Program>(std::make_shared<Taker>(*this));
  }

  core::Graph graph;
  Tensors arguments;

private:
  struct Taker : trace::Program {
    explicit Taker(Recording &owner) : owner(owner) {
      for (const core::GraphArg &arg : owner.graph.args)
        if (arg.kind == core::ArgKind::Scalar) {
          scalarOffsets.push_back(scalarBytes);
          scalarBytes += 8;
        }
    }
    core::Status execute(std::span<runtime::BufferRef> buffers, const void *scalars,
                         std::span<runtime::BufferRef>) const override {
      size_t buffer = 0, scalar = 0;
      for (const core::GraphArg &arg : owner.graph.args) {
        ir::HostTensor &value = owner.arguments.emplace_back(arg.type);
        const void *from = arg.kind == core::ArgKind::Buffer
                               ? buffers[buffer++]->data()
                               : static_cast<const std::byte *>(scalars) + scalarOffsets[scalar++];
        std::memcpy(value.bytes.data(), from, value.bytes.size());
      }
      return core::Status::error(core::ErrorCode::Unavailable, "recorded");
    }
    Recording &owner;
  };
};

} // namespace

TEST_CASE("The first step of the MNIST example: fused = unfused, each op = the interpreter") {
  Recording recording;
  {
    const ImageDataset digits = load_mnist(BURN_SOURCE_DIR "/examples/mnist/data", Split::Train);
    DataLoader loader(digits, {.batch_size = 64, .shuffle = true, .max_shift = 2, .seed = 42});
    loader.start(0);
    const Batch &batch = *loader.next();
    manual_seed(42);
    Net net;
    optim::AdamW optimizer(nn::named_parameters(net),
                           {.lr = 3e-3, .weight_decay = 5e-5, .cautious_weight_decay = true});
    const Tensor loss =
        cross_entropy(net.forward(tensor(batch.images, {batch.size, 1, 28, 28})), tensor(batch.labels, {batch.size}));
    loss.backward();
    CHECK_THROWS_WITH(optimizer.step(), Catch::Contains("recorded"));
  }
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext();
  auto module = compiler::importGraph(*context, recording.graph);
  REQUIRE(module);
  REQUIRE(compiler::expandGradients(**module));
  CHECK(findFailure(**module, recording.arguments, true) == "");
}
